"""The pages for reviewers: what stands on them, who sees them, and that a browser runs nothing that we did not ship."""

from __future__ import annotations

import json
import re
from datetime import timedelta

import pytest

from tests.service.corrections.conftest import Reviewed
from tests.service.recorded_shifts import note
from tests.service.web.errors_of import assert_error
from tests.service.web.rooms import NOON
from tests.service.web.test_pages import HTML, Seen
from thirdcard.rules.log.events import parse_event
from thirdcard.service.corrections.judging import belief_of
from thirdcard.service.live.journal import Journal, News
from thirdcard.service.store.schema import LogRow

PAGES = ["/review", "/review?day=2026-05-04", "/review/1", "/review/1?at=2026-05-04T12:00:30Z&minutes=15",
         "/rounds", "/rounds?q=late+bet+placed", "/rounds/1", "/parts/rounds/1"]  # fmt: skip


def page(reviewed: Reviewed, path: str, role: str = "viewer") -> str:
    answer = reviewed.room.as_role(role).get(path, headers=HTML)
    assert answer.status_code == 200, answer.text
    return str(answer.text)


@pytest.mark.parametrize("path", PAGES)
def test_pages_bring_nothing_that_the_policy_refuses(reviewed: Reviewed, path: str) -> None:
    seen = Seen()
    seen.feed(page(reviewed, path, "operator"))
    assert seen.faults == []
    assert len(seen.ids) == len(set(seen.ids))
    assert "main" in seen.landmarks or path.startswith("/parts")


def test_shifts_stand_by_day_and_table(reviewed: Reviewed) -> None:
    text = page(reviewed, "/review")
    assert "Monday 4 May 2026" in text
    assert 'href="/review/1">DEMO</a>' in text
    assert "<b>5</b> rounds" in text
    assert "DEMO</a>" not in page(reviewed, "/review?day=yesterday")
    assert "is not a day" in page(reviewed, "/review?day=blursday")
    assert "DEMO</a>" not in page(reviewed, "/review", "anna")


def test_a_shift_is_drawn_with_rounds_phases_alerts_and_notes(reviewed: Reviewed) -> None:
    note(reviewed.room.database, 1, "gap", NOON + timedelta(seconds=50), NOON + timedelta(seconds=55))
    text = page(reviewed, "/review/1")
    assert text.count('<rect class="round ') == 5
    assert text.count('<rect class="phase betting"') == 5
    assert text.count('<a class="pin ') == 3
    assert 'class="note gap"' in text
    assert ">Ada</text>" in text


def test_only_the_window_is_drawn_round_by_round(reviewed: Reviewed) -> None:
    text = page(reviewed, "/review/1?at=2026-05-04T12:01:00Z&minutes=5")
    assert 0 < text.count('<rect class="round ') < 5
    assert_error(reviewed.room.as_role("viewer").get("/review/1?minutes=9000"), 422, field="minutes")
    assert_error(reviewed.room.as_role("anna").get("/review/1"), 404, says="no such shift")


def test_a_stretch_that_could_not_be_seen_is_hatched(reviewed: Reviewed) -> None:
    """The recording's log again, but with the camera lost in its first round."""
    with reviewed.room.database.reading() as session:
        rules = json.loads(session.get_one(LogRow, 1).rules)
    journal = Journal(reviewed.room.database, "B07", rules)
    journal.open(NOON)
    lines = [{"t": 1.0, "type": "bets_opened"}, {"t": 2.0, "type": "camera_lost", "fault": "frozen"},
             {"t": 5.0, "type": "camera_back"}, {"t": 9.0, "type": "round_closed"}]  # fmt: skip
    belief = belief_of(rules)
    judged = [belief.observe(parse_event(line)) for line in lines]
    events, rounds = [parse_event(line) for line in lines], [record for one in judged for record in one.rounds]
    journal.write(News(events=events, rounds=rounds), NOON)
    text = page(reviewed, "/review/2")
    assert text.count("Could not be seen: frozen") == 2
    assert 'fill="url(#hatch-d)"' in text


def test_a_round_shows_cards_duties_wagers_alerts_and_its_log(reviewed: Reviewed) -> None:
    text = page(reviewed, f"/rounds/{reviewed.shift.rounds[2]}")
    assert "Banker wins" in text
    assert "and <b>stands</b>" in text
    assert "Seat 6 placed chips on Banker 3.9 s after betting closed." in text
    assert text.count("data-seek=") > 20
    sections = dict(re.findall(r"<summary>([^<]+)</summary><span>([^<]+)</span>", text))
    assert "no further card is dealt" in sections["9.2"]
    assert "nobody may place, handle, change or take back a wager" in sections["5.14"]
    assert f'href="/rounds/{reviewed.shift.rounds[1]}"' in text
    assert f'href="/rounds/{reviewed.shift.rounds[3]}"' in text
    assert "data-correct" not in text
    assert "data-correct" in page(reviewed, f"/rounds/{reviewed.shift.rounds[2]}", "operator")


def test_a_correction_shows_before_and_after(reviewed: Reviewed) -> None:
    line = reviewed.line(0, type="card_turned", card="9H")
    number = reviewed.correct(0, {"kind": "card", "line": line, "card": "6H", "why": "it is a <six>"}).json()["id"]
    text = page(reviewed, f"/rounds/{reviewed.shift.rounds[0]}")
    assert "Player 9H KD = 9, Banker 4C 2S = 6, Player wins" in text
    assert "Player 6H KD = 6, Banker 4C 2S = 6, Tie" in text
    assert "it is a &lt;six&gt;" in text
    reviewed.take_back(number)
    assert "Taken back by token:operator" in page(reviewed, f"/rounds/{reviewed.shift.rounds[0]}")


def test_a_search_tells_how_it_was_understood(reviewed: Reviewed) -> None:
    text = page(reviewed, "/rounds?q=late+bet+placed+today&table=DEMO&card=&seat=")
    for words in ("Late bet: placed", "table DEMO", "Mon 4 May 2026"):
        assert f'<span class="chip">{words}</span>' in text
    assert 'value="late bet placed today table:DEMO"' in text
    assert text.count('href="/rounds/') == 1
    half = page(reviewed, "/rounds?q=late+bet+blorb")
    assert ("<q>blorb</q>" in half, "it was left out" in half, 'href="/rounds/' in half) == (True, True, True)
    nothing = page(reviewed, "/rounds?q=blorb")
    assert ("Nothing was searched" in nothing, 'href="/rounds/' in nothing) == (True, False)


def test_shifts_over_the_api(reviewed: Reviewed) -> None:
    client = reviewed.room.as_role("viewer")
    (item,) = client.get("/api/shifts").json()["items"]
    assert (item["table"], item["origin"], item["rounds"], item["alerts"]) == (
        "DEMO", "review", 5, {"high": 2, "medium": 1},
    )  # fmt: skip
    assert client.get("/api/shifts/1").json() == item
    assert client.get("/api/shifts?origin=live").json()["items"] == []
    assert client.get("/api/shifts?from=2026-05-04T12:00:01Z").json()["items"] == []
    assert_error(client.get("/api/shifts?cursor=zzz"), 422, field="cursor")
    assert_error(reviewed.room.as_role("anna").get("/api/shifts/1"), 404)
