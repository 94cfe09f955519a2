"""Cards that lie face down where they should come face up, and third cards before the first four are open."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.builders import NZ, RULEBOOKS, TableLog, alerts_of, codes_of, rules_of, run

DOWN, EARLY = "procedure.face_down_deal", "procedure.early_third_card"
FACE_UP: list[tuple[str, dict[str, Any]]] = [*((name, {}) for name in NZ), ("tas", {})]
FACE_DOWN: list[tuple[str, dict[str, Any]]] = [(name, {"dealing_style": style}) for name in NZ for style in "BC"] + [
    ("tas", {"dealing_style": "B"})
]
FACES = ("KH", "3D", "3C", "4H")


def log_of(rulebook_id: str, options: dict[str, Any]) -> TableLog:
    return TableLog(rules_of(rulebook_id, **options)).open()


def dealt(log: TableLog, *, down: int | None = None, **more: Any) -> TableLog:
    """The first four cards in the elected style; the one of that index face down."""
    for i, (hand, card) in enumerate(zip(("player", "banker") * 2, FACES, strict=True)):
        log.deal(hand, card, face_up=False if i == down else None, **more)
    return log


def told(log: TableLog) -> list[tuple[str, str | None, float]]:
    return [(one.code, one.rule, one.t) for one in alerts_of(log) if one.code in (DOWN, EARLY)]


@pytest.mark.parametrize(("rulebook_id", "options"), FACE_UP)
@pytest.mark.parametrize("index", range(4))
def test_rule_nz_8_6_a_card_dealt_face_down_is_told_of_the_deal(
    rulebook_id: str, options: dict[str, Any], index: int
) -> None:
    log = dealt(log_of(rulebook_id, options), down=index).turn(f"c{index + 1}").third("player", "4S").result(7, 7)
    assert told(log) == [(DOWN, "9.2" if rulebook_id == "tas" else "8.6", 3.0 + index)]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_card_of_which_the_line_does_not_say_how_it_lies_is_alleged_nothing(rulebook_id: str) -> None:
    log = log_of(rulebook_id, {})
    for i, hand in enumerate(("player", "banker", "player", "banker", "player")):
        log.add("card_dealt", card_id=f"c{i}", hand=hand)
    assert told(log.close()) == []


@pytest.mark.parametrize(("rulebook_id", "options"), FACE_UP)
@pytest.mark.parametrize("turned_after_s", [None, 2.0, 4.0], ids=["never", "soon", "late"])
def test_card_that_a_camera_saw_face_down_is_told_when_it_is_turned_late(
    rulebook_id: str, options: dict[str, Any], turned_after_s: float | None
) -> None:
    log = log_of(rulebook_id, options).deal("player", "KH", face_up=False, source="camera")
    if turned_after_s is not None:
        log.add("card_turned", after_s=turned_after_s, card_id="c1", card="KH", face_up=True, by="dealer")
    assert [code for code, *_ in told(log)] == ([DOWN] if turned_after_s == 4.0 else [])


@pytest.mark.parametrize(("rulebook_id", "options"), FACE_UP)
def test_hidden_card_that_no_hand_is_due_is_a_misdeal_alone(rulebook_id: str, options: dict[str, Any]) -> None:
    log = log_of(rulebook_id, options).four("P KH 7C | B 3D 4H").deal("player", None, face_up=False)
    assert codes_of(log.result(7, 7).close()) == ["misdeal.third_card_not_due"]


@pytest.mark.parametrize(("rulebook_id", "options"), FACE_DOWN)
@pytest.mark.parametrize("index", [0, 3])
def test_rule_nz_9_1_third_card_before_the_hands_are_open_is_told_of_the_deal(
    rulebook_id: str, options: dict[str, Any], index: int
) -> None:
    log = dealt(log_of(rulebook_id, options))
    for i in range(4):
        if i != index:
            log.turn(f"c{i + 1}")
    t = log.deal("player", "4S").t
    log.turn_all().result(7, 7)
    assert told(log) == [(EARLY, "10.1" if rulebook_id == "tas" else "9.1", t)]


@pytest.mark.parametrize(("rulebook_id", "options"), FACE_DOWN)
def test_rule_nz_9_1_third_card_after_the_hands_are_open_is_right(rulebook_id: str, options: dict[str, Any]) -> None:
    log = dealt(log_of(rulebook_id, options)).turn_all().third("player", "4S").result(7, 7).close()
    assert told(log) == []


@pytest.mark.parametrize(("rulebook_id", "options"), FACE_DOWN)
@pytest.mark.parametrize(("turned_after_s", "codes"), [(1.0, []), (4.0, [EARLY])], ids=["soon", "late"])
def test_turn_that_a_camera_saw_late_is_alleged_nothing(
    rulebook_id: str, options: dict[str, Any], turned_after_s: float, codes: list[str]
) -> None:
    log = dealt(log_of(rulebook_id, options), source="camera").turn("c1").turn("c3").turn("c4")
    log.deal("player", "4S", source="camera")
    log.add("card_turned", after_s=turned_after_s, card_id="c2", card="3D", face_up=True, by="dealer")
    assert [code for code, *_ in told(log)] == codes


@pytest.mark.parametrize("style", ["A", "B"])
def test_rulebooks_that_order_nothing_say_nothing(style: str) -> None:
    log = dealt(log_of("sg-rws", {"dealing_style": style}), down=1).deal("player", "4S").turn_all().result(7, 7)
    assert told(log) == []


@pytest.mark.parametrize("rulebook_id", [*NZ, "tas"])
def test_lost_camera_leaves_it_open(rulebook_id: str) -> None:
    log = log_of(rulebook_id, {}).add("camera_lost", camera="overhead").deal("player", "KH", face_up=False)
    alerts, records = run(log.rules, log.close().events)
    assert [alert.code for alert in alerts] == ["camera.lost"]
    assert DOWN in {doubt.code for doubt in records[0].undetermined}


@pytest.mark.parametrize("rulebook_id", NZ)
def test_kept_card_that_all_saw_is_open(rulebook_id: str) -> None:
    """Style B: the void hand starts with the card that was disclosed; its other three cards are turned."""
    log = dealt(log_of(rulebook_id, {"dealing_style": "B"})).turn_all().third("player", "4S").third("player", "5D")
    log.result(7, 7).close().add("void_hand_announced").add("card_moved", card_id="c6", hand="player")
    log.deal("banker", "2C").deal("player", "AC").deal("banker", "KD").turn("c7").turn("c8").turn("c9")
    assert told(log.deal("banker", "4D")) == []
