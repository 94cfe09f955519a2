"""By what a round is found."""

from __future__ import annotations

from typing import Any

import pytest

from thirdcard.service.rounds.search.terms import SearchableRound, change_kind, terms_of

RECORD = {"round": 4, "player": ["7H", "2S"], "banker": ["KD", "6C", None], "winner": "player", "complete": True}


def facts(**changes: Any) -> SearchableRound:
    given: dict[str, Any] = {"table_id": "B07", "dealer": "Ada", "rulebook": "tas", "origin": "live", "record": RECORD,
                             "lines": [], "alerts": []}  # fmt: skip
    return SearchableRound(**given | changes)


def test_a_round_is_found_by_what_it_was() -> None:
    assert terms_of(facts()) == [
        "card:2s", "card:6c", "card:7h", "card:kd", "dealer:ada", "is:natural", "is:unread", "origin:live",
        "rulebook:tas", "table:b07", "third:banker", "winner:player",
    ]  # fmt: skip


def test_a_hand_without_a_card_is_no_natural() -> None:
    record = {"player": ["9H"], "banker": [], "winner": None, "complete": False, "void": True}
    assert {"is:incomplete", "is:void", "winner:unknown"} <= set(terms_of(facts(record=record)))
    assert "is:natural" not in terms_of(facts(record=record))


def test_lines_tell_of_seats_stacks_and_what_was_not_seen() -> None:
    change = {"type": "wager_changed", "area": "s3-banker", "seat": 3, "bet": "banker", "before": 100, "after": 600}
    found = terms_of(facts(lines=[change, {"type": "camera_lost"}, {"type": "card_burned", "card": "9C"}]))
    assert {"seat:3", "bet:banker", "changed:increased", "changed:s3-banker", "changed:s3-banker:increased",
            "changed:seat:3:increased", "is:unseen", "card:9c"} <= set(found)  # fmt: skip


def test_a_face_of_another_version_is_left_out() -> None:
    assert not [term for term in terms_of(facts(record={}, lines=[{"type": "card_dealt", "card": "1S"}]))
                if term.startswith("card:")]  # fmt: skip


def test_alerts_are_found_by_code_family_hand_and_seat() -> None:
    alerts = [{"code": "misdeal.third_card_missing", "severity": "high", "hand": "banker", "seat": None},
              {"code": "late_bet.placed", "severity": "low", "hand": None, "seat": 5}]  # fmt: skip
    assert {"code:misdeal", "code:misdeal.third_card_missing", "code:misdeal.third_card_missing:banker", "hand:banker",
            "severity:high", "code:late_bet.placed:seat:5", "code:late_bet:seat:5", "seat:5"} <= set(
        terms_of(facts(alerts=alerts)))  # fmt: skip


@pytest.mark.parametrize(
    ("values", "chips", "kind"),
    [
        pytest.param((0, 100), (None, None), "placed", id="empty before"),
        pytest.param((0, None), (0, 3), "placed", id="value not read"),
        pytest.param((100, 0), (1, 0), "removed", id="empty after"),
        pytest.param((None, 0), (2, 0), "removed", id="empty after a stack not read"),
        pytest.param((100, 600), (1, 2), "increased", id="worth more"),
        pytest.param((600, 100), (2, 1), "reduced", id="worth less"),
        pytest.param((None, None), (2, 4), "increased", id="more chips"),
        pytest.param((None, None), (4, 2), "reduced", id="fewer chips"),
        pytest.param((None, None), (None, None), "changed", id="nothing read"),
    ],
)
def test_kinds_of_change(values: tuple[Any, Any], chips: tuple[Any, Any], kind: str) -> None:
    line = {"before": values[0], "after": values[1], "chips_before": chips[0], "chips_after": chips[1]}
    assert change_kind(line) == kind
