"""Cards shown where the style hides them, and cards in excess that were disclosed."""

from __future__ import annotations

import pytest

from tests.rules.builders import NZ, RULEBOOKS, TableLog, alerts_of, codes_of, rules_of

FACE_DOWN = [
    pytest.param("nz-authority", "B", "8.12", ("stand", "12.4"), id="nz-authority-8.12"),
    pytest.param("nz-authority", "C", "8.19", ("stand", "12.4"), id="nz-authority-8.19"),
    pytest.param("nz-secretary", "B", "8.12", ("stand", "12.4"), id="nz-secretary-8.12"),
    pytest.param("nz-secretary", "C", "8.19", ("stand", "12.4"), id="nz-secretary-8.19"),
    pytest.param("sg-rws", "B", "5.9", ("player_options", "5.9"), id="sg-rws-5.9"),
    pytest.param("nsw", "B", None, ("supervisor", None), id="nsw-silent"),
    pytest.param("tas", "B", "9.3", ("stand", "14.4"), id="tas-9.3"),
]


@pytest.mark.parametrize(("rulebook_id", "style", "rule", "remedy"), FACE_DOWN)
def test_face_up_deal_of_a_second_card(
    rulebook_id: str, style: str, rule: str | None, remedy: tuple[str, str | None]
) -> None:
    log = TableLog(rules_of(rulebook_id, dealing_style=style)).open().deal("player", "5H")
    log.deal("banker", "JC", face_up=True)
    t = log.t
    log.deal("player", "3S").deal("banker", "7D").turn_all().result(8, 7).close()
    alerts = alerts_of(log)
    assert [(alert.code, alert.t, alert.rule) for alert in alerts] == [("exposed_card.face_up_deal", t, rule)]
    assert (alerts[0].remedy.action, alerts[0].remedy.rule) == remedy
    assert [str(card) for card in alerts[0].cards] == ["JC"]


@pytest.mark.parametrize(("rulebook_id", "style", "rule", "remedy"), FACE_DOWN)
def test_face_down_deal_is_right(
    rulebook_id: str, style: str, rule: str | None, remedy: tuple[str, str | None]
) -> None:
    log = TableLog(rules_of(rulebook_id, dealing_style=style)).legal_round("P 2H KD 6S | B 3S 2C 4D")
    assert alerts_of(log) == []


@pytest.mark.parametrize("rulebook_id", [name for name in RULEBOOKS if name != "nsw"])
def test_face_up_style_deals_face_up(rulebook_id: str) -> None:
    assert alerts_of(TableLog(rules_of(rulebook_id, dealing_style="A")).legal_round("P 2H KD 6S | B 3S 2C 4D")) == []


@pytest.mark.parametrize("rulebook_id", NZ)
@pytest.mark.parametrize(
    ("style", "codes"),
    [
        pytest.param("B", ["exposed_card.face_up_deal"], id="9.8-style-B-face-down"),
        pytest.param("C", [], id="9.7-style-C-face-up"),
    ],
)
def test_rule_nz_third_card_of_the_styles(rulebook_id: str, style: str, codes: list[str]) -> None:
    log = TableLog(rules_of(rulebook_id, dealing_style=style)).open().four("P 2H KD | B 3S 4C")
    log.deal("player", "6S", face_up=True).result(8, 7).close()
    assert codes_of(log) == codes
    assert [alert.rule for alert in alerts_of(log)] == ["9.8"] * len(codes)


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_first_card_face_up_in_a_face_down_style(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id, dealing_style="B")).open().deal("player", "5H", face_up=True)
    expected = "exposed_card.first_card" if rulebook_id in NZ else "exposed_card.face_up_deal"
    assert codes_of(log) == [expected]


@pytest.mark.parametrize("rulebook_id", NZ)
def test_rule_nz_12_3_first_card_found_face_up_in_a_face_up_style(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).open().deal("player", "5H", found_face_up=True)
    alerts = alerts_of(log)
    assert [(alert.code, alert.rule, alert.remedy.rule) for alert in alerts] == [
        ("exposed_card.first_card", "12.3", "12.3")
    ]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_card_found_face_up_later_is_no_fault_of_the_deal(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id, dealing_style="B")).open().deal("player", "5H")
    log.deal("banker", "JC", face_up=True, found_face_up=True)
    assert alerts_of(log) == []


EXCESS = {
    "nz-authority": ("12.2(b)", "void_next_hand", "12.2(b)"),
    "nz-secretary": ("12.2(b)", "void_next_hand", "12.2(b)"),
    "sg-rws": ("5.7", "first_card_of_next_round", "5.7"),
    "nsw": (None, "supervisor", None),
    "tas": ("14.2", "supervisor", None),
}


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_excess_is_told_when_the_face_is_shown(rulebook_id: str) -> None:
    style = "B"
    log = TableLog(rules_of(rulebook_id, dealing_style=style)).open().four("P KH 7C | B 3D 4H").deal("banker", "6S")
    dealt_t = log.t
    assert codes_of(log) == ["misdeal.third_card_not_due"]
    log.turn("c5")
    alerts = alerts_of(log)
    assert [(alert.code, alert.t) for alert in alerts] == [
        ("misdeal.third_card_not_due", dealt_t),
        ("exposed_card.excess", log.t),
    ]
    assert (alerts[1].rule, alerts[1].remedy.action, alerts[1].remedy.rule) == EXCESS[rulebook_id]
    assert [str(card) for card in alerts[1].cards] == ["6S"]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_excess_unseen_is_not_disclosed(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id, dealing_style="B")).open().four("P KH 7C | B 3D 4H").deal("banker", "6S")
    assert codes_of(log.result(7, 7).close()) == ["misdeal.third_card_not_due"]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_excess_that_should_go_to_the_banker_but_stays_is_disclosed(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).open().four("P KH 7C | B 3D AH").third("player", "6S").result(7, 4).close()
    assert codes_of(log) == ["misdeal.third_card_not_due", "exposed_card.excess", "misdeal.third_card_missing"]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_excess_may_have_gone_to_the_banker_while_a_camera_was_lost(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).open().four("P KH 7C | B 3D AH").third("player", "6S")
    log.add("camera_lost", camera="overhead").add("camera_back", camera="overhead").result(7, 0).close()
    assert "exposed_card.excess" not in codes_of(log)
