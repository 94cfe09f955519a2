"""Corrections over the API: the log is judged again, and everything follows; nothing written before is edited."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sqlalchemy import select

from tests.service.corrections.conftest import Reviewed
from tests.service.web.errors_of import assert_error
from thirdcard.service.store.blob_store import EvidenceStore
from thirdcard.service.store.round_schema import CorrectionRow
from thirdcard.service.store.schema import AlertChange, AlertRow, ChainLine
from thirdcard.service.store.verification import verify_chains, verify_evidence

LATE = "late_bet.placed"
EXPOSED = "exposed_card.face_up_deal"


def test_a_card_that_was_misread_changes_its_round(reviewed: Reviewed) -> None:
    line = reviewed.line(0, type="card_turned", card="9H")
    before = reviewed.round(0)
    assert (before["player"], before["player_total"], before["winner"]) == (["9H", "KD"], 9, "player")
    answer = reviewed.correct(0, {"kind": "card", "line": line, "card": "6H"})
    assert answer.status_code == 201, answer.text
    after = reviewed.round(0)
    assert (after["player"], after["player_total"], after["winner"]) == (["6H", "KD"], 6, "tie")
    assert reviewed.alerts()["misdeal.wrong_result"] == ["open"]
    (change,) = answer.json()["effects"]["rounds"]
    assert (change["before"]["winner"], change["after"]["winner"]) == ("player", "tie")
    assert (reviewed.found(card="9H"), reviewed.found(card="6H", winner="tie")) == ([], [0])
    assert (reviewed.found(code="misdeal.wrong_result"), reviewed.found(**{"is": "corrected"})) == ([0], [0])


def test_the_log_stays_as_it_was_written(reviewed: Reviewed) -> None:
    line = reviewed.line(0, type="card_turned", card="9H")
    reviewed.correct(0, {"kind": "card", "line": line, "card": "6H"})
    with reviewed.room.database.reading() as session:
        written = session.scalars(select(ChainLine).where(ChainLine.chain == "log/DEMO", ChainLine.seq == line)).one()
        assert json.loads(written.body)["card"] == "9H"
        sealed = session.scalars(select(ChainLine).where(ChainLine.chain == "corrections/DEMO")).first()
        assert sealed is not None
        body = json.loads(sealed.body)
        assert (body["source"], body["who"], body["why"]) == ("person", "token:operator", "seen on the video")
        assert body["change"] == {"kind": "card", "line": line, "card": "6H"}
        assert verify_chains(session) is None
        assert verify_evidence(session, EvidenceStore(reviewed.room.folder / "evidence")) is None


def test_taking_it_back_makes_everything_what_it_was(reviewed: Reviewed) -> None:
    before, found = reviewed.round(0), reviewed.found(card="9H")
    line = reviewed.line(0, type="card_turned", card="9H")
    number = reviewed.correct(0, {"kind": "card", "line": line, "card": "6H"}).json()["id"]
    answer = reviewed.take_back(number)
    assert (answer.status_code, answer.json()["taken_back_by"]) == (200, "token:operator")
    after = reviewed.round(0)
    assert {name: after[name] for name in before if name != "corrections"} == {
        name: before[name] for name in before if name != "corrections"
    }
    assert reviewed.alerts()["misdeal.wrong_result"] == ["dismissed"]
    assert (reviewed.found(card="9H"), reviewed.found(**{"is": "corrected"})) == (found, [])
    assert reviewed.found(code="misdeal.wrong_result") == []
    assert_error(reviewed.take_back(number), 409, says="taken back already, by token:operator")


def test_what_stands_again_is_the_same_alert_as_before(reviewed: Reviewed) -> None:
    """An alert falls, is closed with the reason, and is opened again when the correction is taken back."""
    line = reviewed.line(2, type="wager_changed", area="s6-banker")
    first = reviewed.correct(2, {"kind": "remove", "line": line}).json()
    assert reviewed.alerts()[LATE] == ["dismissed"]
    assert (reviewed.found(code=LATE), len(first["effects"]["fell"])) == ([], 1)
    reviewed.take_back(first["id"])
    assert (reviewed.alerts()[LATE], reviewed.found(code=LATE)) == (["open"], [2])
    second = reviewed.correct(2, {"kind": "remove", "line": line}).json()
    assert second["effects"]["fell"] == first["effects"]["fell"]
    with reviewed.room.database.reading() as session:
        steps = session.scalars(select(AlertChange).order_by(AlertChange.id)).all()
        assert [(step.before, step.after, step.reason) for step in steps] == [
            ("open", "dismissed", "corrected"), ("dismissed", "open", "correction_taken_back"),
            ("open", "dismissed", "corrected"),
        ]  # fmt: skip
        assert steps[1].note == "Correction 1 was taken back: I was wrong"


def test_an_event_that_was_missed_is_judged_with_the_others(reviewed: Reviewed) -> None:
    event = {"t": 35.2, "type": "wager_changed", "area": "s1-tie", "seat": 1, "bet": "tie", "before": 0, "after": 100}
    answer = reviewed.correct(2, {"kind": "add", "event": event})
    assert answer.status_code == 201, answer.text
    assert reviewed.alerts()[LATE] == ["open", "open"]
    assert reviewed.found(changed="s1-tie:placed") == [2]
    with reviewed.room.database.reading() as session:
        raised = session.scalars(select(AlertRow).order_by(AlertRow.id.desc())).first()
        assert raised is not None
        assert (raised.is_quiet, json.loads(raised.body)["seat"]) == (True, 1)


def false_alerts(reviewed: Reviewed) -> dict[str, tuple[int, int]]:
    """By code how many were decided and how many of these were false."""
    items = reviewed.room.as_role("supervisor").get("/api/decisions").json()["items"]
    return {item["name"]: (item["confirmed"] + item["dismissed"], item["false"]) for item in items}


def test_what_a_correction_raised_and_its_end_lets_fall_is_no_false_alert(reviewed: Reviewed) -> None:
    event = {"t": 35.2, "type": "wager_changed", "area": "s1-tie", "seat": 1, "bet": "tie", "before": 0, "after": 100}
    number = reviewed.correct(2, {"kind": "add", "event": event}).json()["id"]
    reviewed.take_back(number)
    assert sorted(reviewed.alerts()[LATE]) == ["dismissed", "open"]
    assert reviewed.found(code=LATE) == [2]
    assert false_alerts(reviewed)[LATE] == (1, 0)


def test_an_alert_that_is_open_again_counts_as_undecided(reviewed: Reviewed) -> None:
    line = reviewed.line(2, type="wager_changed", area="s6-banker")
    number = reviewed.correct(2, {"kind": "remove", "line": line}).json()["id"]
    assert false_alerts(reviewed)[LATE] == (1, 1)
    reviewed.take_back(number)
    assert false_alerts(reviewed)[LATE] == (0, 0)


def test_a_dealer_who_was_never_told_is_known_of_all_that_follows(reviewed: Reviewed) -> None:
    reviewed.correct(1, {"kind": "add", "event": {"t": 16.5, "type": "dealer_changed", "dealer": "Ben"}})
    assert [reviewed.round(which)["dealer"] for which in range(3)] == ["Ada", "Ben", "Ben"]
    assert reviewed.found(dealer="ada") == [0]


def test_corrections_hold_together_and_apart(reviewed: Reviewed) -> None:
    nine = reviewed.line(0, type="card_turned", card="9H")
    first = reviewed.correct(0, {"kind": "card", "line": nine, "card": "5H"}).json()["id"]
    reviewed.correct(0, {"kind": "card", "line": nine, "card": "6H"})
    reviewed.correct(0, {"kind": "card", "line": reviewed.line(0, card="2S"), "card": None})
    assert (reviewed.round(0)["player"], reviewed.round(0)["banker"]) == (["6H", "KD"], ["4C", None])
    reviewed.take_back(first)
    assert (reviewed.round(0)["player"], reviewed.round(0)["banker"]) == (["6H", "KD"], ["4C", None])
    assert reviewed.found(**{"is": "unread"}) == [0]


@pytest.mark.parametrize(("stands", "state"), [(False, "dismissed"), (True, "confirmed")])
def test_a_verdict_overrules_what_was_decided_and_can_be_taken_back(
    reviewed: Reviewed, stands: bool, state: str
) -> None:
    operator = reviewed.room.as_role("operator")
    (alert,) = [item["id"] for item in operator.get("/api/alerts?code=late_bet").json()["items"]]
    step = {"state": "confirmed"} if not stands else {"state": "dismissed", "reason": "training_or_test"}
    operator.post(f"/api/alerts/{alert}/state", json=step)
    number = reviewed.correct(2, {"kind": "verdict", "alert": alert, "stands": stands}).json()["id"]
    assert reviewed.alerts()[LATE] == [state]
    assert reviewed.found(code=LATE) == ([2] if stands else [])
    reviewed.take_back(number)
    assert reviewed.alerts()[LATE] == [step["state"]]
    assert reviewed.found(code=LATE) == [2]


@pytest.mark.parametrize(
    ("change", "status", "field", "says"),
    [
        pytest.param({"kind": "card", "line": 99, "card": "6H"}, 422, "line", "allowed: the round's, 1 to 23",
                     id="line"),
        pytest.param({"kind": "card", "line": 2, "card": "6H"}, 422, "line", "it shows no card", id="no card there"),
        pytest.param({"kind": "remove", "line": 0}, 422, "remove.line", "must be 1 or more", id="no line"),
        pytest.param({"kind": "add", "event": {"t": 5.0, "type": "dealt"}}, 422, "event", "allowed: shoe_opened",
                     id="type"),
        pytest.param({"kind": "add", "event": {"t": 500.0, "type": "no_more_bets"}}, 422, "event.t", "within the round",
                     id="not in the round"),
        pytest.param({"kind": "add", "event": {"t": 5.0, "type": "round_closed"}}, 422, "event.type",
                     "cannot be divided",
                     id="a division"),
        pytest.param({"kind": "verdict", "alert": 999, "stands": True}, 422, "alert", "none of that round's",
                     id="alert"),
        pytest.param({"kind": "wish"}, 422, None, "", id="kind"),
        pytest.param({"kind": "remove", "line": 22}, 409, None, "rounds would begin and end", id="the round's end"),
    ],
)  # fmt: skip
def test_what_cannot_be_a_correction_is_refused(
    reviewed: Reviewed, change: dict[str, Any], status: int, field: str | None, says: str
) -> None:
    if status == 409:
        change = {**change, "line": reviewed.line(0, type="round_closed")}
    answer = reviewed.correct(0, change)
    assert (answer.status_code, says in answer.text) == (status, True), answer.text
    assert answer.json()["error"]["field"] == field or field is None
    with reviewed.room.database.reading() as session:
        assert session.scalars(select(CorrectionRow)).all() == []


def test_a_card_that_is_none_is_named(reviewed: Reviewed) -> None:
    line = reviewed.line(0, type="card_turned", card="9H")
    answer = reviewed.correct(0, {"kind": "card", "line": line, "card": "1H"})
    assert_error(answer, 422, field="card", says="card = 1H; allowed: a rank")


def test_who_may_not_correct(reviewed: Reviewed) -> None:
    line = reviewed.line(0, type="card_turned", card="9H")
    assert_error(reviewed.correct(0, {"kind": "remove", "line": line}, "viewer"), 403, says="operator")
    assert_error(reviewed.correct(0, {"kind": "remove", "line": line}, "anna"), 404, says="no such round")
    number = reviewed.correct(0, {"kind": "card", "line": line, "card": "6H"}).json()["id"]
    assert_error(reviewed.take_back(number, "anna"), 404, says="no such correction")
    assert reviewed.room.as_role("anna").get("/api/corrections").json()["items"] == []


def test_acts_are_listed_and_audited(reviewed: Reviewed) -> None:
    line = reviewed.line(0, type="card_turned", card="9H")
    number = reviewed.correct(0, {"kind": "card", "line": line, "card": "6H"}).json()["id"]
    reviewed.take_back(number)
    (item,) = reviewed.room.as_role("viewer").get("/api/corrections").json()["items"]
    assert (item["change"]["card"], item["taken_back_why"]) == ("6H", "I was wrong")
    assert reviewed.round(0)["corrections"] == [item]
    acts = [act["action"] for act in reviewed.room.as_role("admin").get("/api/audit").json()["items"]]
    assert acts == ["round.correction_taken_back", "round.corrected"]


def test_nobody_is_woken_by_a_correction(reviewed: Reviewed) -> None:
    place = reviewed.room.app.state.room.feed.last_place()
    event = {"t": 35.2, "type": "wager_changed", "area": "s1-tie", "seat": 1, "bet": "tie", "before": 0, "after": 100}
    assert reviewed.correct(2, {"kind": "add", "event": event}).json()["effects"]["raised"]
    assert [entry for entry in reviewed.room.app.state.room.feed.read_after(place) if entry.alert is not None] == []
