"""What tables seldom see, in scripts: a shoe's opening and its end, cards that come together, too few or too many."""

from __future__ import annotations

from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.datasets.scenarios import clean_round, play, script_of
from thirdcard.datasets.script.draw_scripts import draw_rare
from thirdcard.datasets.script.drawn_rounds import spread_incidents
from thirdcard.datasets.script.drawn_tables import TABLES
from thirdcard.datasets.script.errors import ScriptError
from thirdcard.datasets.script.judgement import judged_alerts
from thirdcard.datasets.script.rare_rounds import RARE, rare_table
from thirdcard.datasets.script.render import prepare
from thirdcard.datasets.script.script import parse_script

Lines = list[dict[str, Any]]


def truth_of(*rounds: dict[str, Any], **more: Any) -> Lines:
    return play(script_of(*rounds, **more)).chronicle.truth()


def codes_of(*rounds: dict[str, Any], **more: Any) -> list[tuple[str, int]]:
    script = script_of(*rounds, **more)
    alerts = judged_alerts(script, play(script).chronicle)
    return [(str(alert["code"]), int(str(alert["round"]))) for alert in alerts]


def of_type(lines: Lines, kind: str) -> Lines:
    return [line for line in lines if line["type"] == kind]


@pytest.mark.parametrize("number", [1, 2, 3])
def test_two_cards_at_once_leave_together_and_the_second_is_moved(number: int) -> None:
    act = {"kind": "simultaneous", "card": number}
    lines = truth_of(clean_round(happenings=[act]))
    dealt = of_type(lines, "card_dealt")

    assert dealt[number]["together_with"] == dealt[number - 1]["card_id"]
    assert dealt[number]["t"] == dealt[number - 1]["t"]
    assert [line["card_id"] for line in of_type(lines, "card_moved")] == [dealt[number]["card_id"]]
    assert codes_of(clean_round(happenings=[act])) == [("misdeal.simultaneous", 1)]


def test_two_cards_at_once_rest_side_by_side_at_the_same_moment() -> None:
    performance = play(script_of(clean_round(happenings=[{"kind": "simultaneous", "card": 1}])))
    first, second = of_type(performance.chronicle.truth(), "card_dealt")[:2]
    t = first["t"] + 0.9

    at = {card.object_id: card.at_mm for card in performance.timeline.scene_at(t).cards}

    away_mm = float(np.hypot(*np.subtract(at[first["card_id"]], at[second["card_id"]])))
    assert 50.0 < away_mm < 90.0


@pytest.mark.parametrize("style", ["B", "C"])
def test_first_card_face_up_makes_a_hand_without_wagers(style: str) -> None:
    spec = clean_round(happenings=[{"kind": "face_up_deal", "card": 1}])
    lines = truth_of(spec, rulebook="nz-authority", style=style)
    dealt, taken = of_type(lines, "card_dealt"), of_type(lines, "wager_changed")[-1]

    assert codes_of(spec, rulebook="nz-authority", style=style) == [("exposed_card.first_card", 1)]
    assert dealt[0]["t"] < of_type(lines, "void_hand_announced")[0]["t"] < taken["t"] < dealt[1]["t"]
    assert (taken["after"], taken["by"]) == (0, "seat:3")


def test_first_card_face_up_is_no_more_than_exposed_elsewhere() -> None:
    spec = clean_round(happenings=[{"kind": "face_up_deal", "card": 1}])

    assert codes_of(spec, rulebook="tas", style="B") == [("exposed_card.face_up_deal", 1)]


@pytest.mark.parametrize(
    ("opening", "count", "codes"),
    [
        pytest.param({"first": "3D"}, 4, [], id="as many as it counts"),
        pytest.param({"first": "KD"}, 11, [], id="a picture counts ten"),
        pytest.param({"first": "3D", "burned": 3}, 3, [("procedure.burn", 1)], id="too few"),
        pytest.param({"first": "3D", "burned": 5}, 5, [("procedure.burn", 1)], id="too many"),
        pytest.param({"burned": 0}, 0, [("procedure.burn", 1)], id="none"),
    ],
)
def test_opening_burns_cards_before_bets_open(
    opening: dict[str, Any], count: int, codes: list[tuple[str, int]]
) -> None:
    spec = clean_round(opening=opening)
    lines = truth_of(spec, rulebook="nz-authority")
    burned = of_type(lines, "card_burned")

    assert lines[0]["type"] == "shoe_opened"
    assert len(burned) == count
    assert [line["card"] for line in burned[1:]] == [None] * max(count - 1, 0)
    assert all(line["t"] < of_type(lines, "bets_opened")[0]["t"] for line in burned)
    assert codes_of(spec, rulebook="nz-authority") == codes


@pytest.mark.parametrize(("rulebook", "count"), [("tas", 0), ("sg-rws", 0)])
def test_opening_burns_nothing_where_the_rulebook_orders_none(rulebook: str, count: int) -> None:
    assert len(of_type(truth_of(clean_round(opening={}), rulebook=rulebook), "card_burned")) == count


def test_burned_cards_lie_clear_of_the_boxes_and_of_each_other_and_leave() -> None:
    performance = play(script_of(clean_round(opening={"first": "9D"}), rulebook="nz-authority"))
    lines = performance.chronicle.truth()
    last = of_type(lines, "card_burned")[-1]["t"]

    lying = sorted(card.at_mm for card in performance.timeline.scene_at(last + 0.9).cards)

    assert len(lying) == 10
    assert all(second[0] - first[0] > 55.0 for first, second in pairwise(lying))
    assert min(y for _, y in lying) > 335.0 + 22.0 + 30.0
    assert performance.timeline.scene_at(of_type(lines, "no_more_bets")[0]["t"]).cards == ()


@pytest.mark.parametrize(("number", "last"), [(1, 1), (3, 2)])
def test_cutting_card_tells_the_last_round(number: int, last: int) -> None:
    cut = clean_round(happenings=[{"kind": "cut_card", "card": number}])
    after = {"happenings": [{"kind": "after_last_round"}]}
    between: list[dict[str, Any]] = [{}] * (last - 1)

    assert codes_of(cut, *between, rulebook="nz-authority") == []
    assert codes_of(cut, *between, after, rulebook="nz-authority") == [("misdeal.after_last_round", last + 1)]


def test_cutting_card_lies_aside_until_the_next_opening() -> None:
    script = script_of(clean_round(happenings=[{"kind": "cut_card", "card": 2}]), clean_round(opening={}))
    performance = play(script)
    cut, opened = (of_type(performance.chronicle.truth(), kind)[0]["t"] for kind in ("cut_card_drawn", "shoe_opened"))

    counts = [
        len(performance.timeline.scene_at(t).cut_cards) for t in (cut - 0.1, cut + 1.0, opened - 0.1, opened + 0.1)
    ]

    assert counts == [0, 1, 1, 0]


def test_short_hand_and_empty_shoe_end_a_round_early() -> None:
    assert codes_of(clean_round(happenings=[{"kind": "short_hand"}])) == [("misdeal.short_hand", 1)]
    empty = clean_round(happenings=[{"kind": "shoe_exhausted", "card": 3}])
    lines = truth_of(empty)

    assert codes_of(empty) == [("misdeal.shoe_exhausted", 1)]
    assert len(of_type(lines, "card_dealt")) == 2
    assert of_type(lines, "result_announced") == []
    assert [line["action"] for line in of_type(lines, "wager_settled")] == ["returned"]


def test_foreign_card_is_one_of_which_every_copy_is_out() -> None:
    table = {"rulebook": "tas", "options": {"dealing_style": "A"}, "shoe": {"decks": 1}, "limits": {"minimum": 25}}
    act = {"happenings": [{"kind": "foreign_card", "card": 2}]}

    assert codes_of(clean_round(), act, table=table) == [("misdeal.foreign_card", 2)]
    with pytest.raises(ScriptError, match="every copy of .* must be out before"):
        play(script_of(clean_round(happenings=act["happenings"])))


def test_void_hand_has_no_wagers_but_the_one_put_down_all_the_same() -> None:
    act = {"kind": "void_hand_wagered", "seat": 4, "bet": "banker", "value": 100}
    lines = truth_of(clean_round(happenings=[act]))

    assert [line["area"] for line in of_type(lines, "wager_changed") if line["before"] == 0] == ["s4-banker"]
    assert [line["action"] for line in of_type(lines, "wager_settled")] == ["returned"]
    assert codes_of(clean_round(happenings=[act])) == [("procedure.void_hand_wagered", 1)]


def test_first_burned_card_must_be_a_card() -> None:
    with pytest.raises(ScriptError, match="opening.first"):
        play(script_of(clean_round(opening={"first": "1S"}), rulebook="nz-authority"))


def test_rare_kinds_are_spread_where_they_can_be() -> None:
    tables = [rare_table(table) for table in TABLES]
    spread = spread_incidents(
        tables, 5, np.random.default_rng(4), of=tuple(RARE), can=lambda kind, table: RARE[kind].can_be_at(table)
    )

    assert all(sum(kinds.count(kind) for kinds in spread) == 5 for kind in RARE)
    assert all(RARE[kind].can_be_at(table) for table, kinds in zip(tables, spread, strict=True) for kind in kinds)


def test_drawn_rare_scripts_begin_cleanly_and_hold_something_rare() -> None:
    for _, mapping in islice(draw_rare(77), 2):
        script = parse_script(mapping, "draw")
        _, performance = prepare(script, Path())

        assert judged_alerts(script, performance.chronicle)
        assert min(alert.round for alert in performance.chronicle.alerts) > 1
