"""The journal: what is entered stands in the chain, and a log goes on where it ended."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from tests.service.databases import url_of
from tests.service.store.conftest import NOW
from thirdcard.calibration.layout import load_layout
from thirdcard.rules.findings.alerts import Alert
from thirdcard.rules.game.cards import parse_card
from thirdcard.rules.game.words import Remedy, Severity
from thirdcard.rules.log.events import BetsOpened, CardDealt, DealerChanged, Event, RoundClosed, Side
from thirdcard.service.dealers.register import DealerFields, add_dealer, change_dealer
from thirdcard.service.interpretation.interpreter import Interpreter
from thirdcard.service.live.inbox import Inbox
from thirdcard.service.live.journal import Journal, News
from thirdcard.service.media.clip_span import LIVE_CLIP
from thirdcard.service.rounds.search.index import enter_round_of_alert
from thirdcard.service.store import chain
from thirdcard.service.store.audit import AUDIT
from thirdcard.service.store.database import Database, open_database
from thirdcard.service.store.log_chains import alert_chain, log_chain
from thirdcard.service.store.schema import AlertChange, AlertRow, DoubtfulRow, EvidenceRow, RoundRow, SignalRow

RULES = {"rulebook": "tas", "options": {}}
ALERT = Alert(
    t=12.5, round=1, code="late_bet.placed", severity=Severity.HIGH, rulebook="tas", rule="6.3", seat=3,
    area="s3-banker", message="Seat 3 placed 500.", remedy=Remedy("void_wager", "6.3", "The wager is void."),
)  # fmt: skip


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(url_of(tmp_path / "room.db"))
    yield opened
    opened.close()


def journal_of(
    database: Database, *, rules: dict[str, object] | None = None, later_h: float = 0
) -> tuple[Journal, list[Event]]:
    journal = Journal(database, "B07", rules or dict(RULES))
    return journal, journal.open(NOW + timedelta(hours=later_h))


def a_round() -> list[Event]:
    return [
        DealerChanged(t=1.0, dealer="D1"),
        BetsOpened(t=2.0),
        CardDealt(t=9.0, card_id="c1", hand=Side.PLAYER, card=parse_card("7H"), face_up=True),
        RoundClosed(t=20.0),
    ]


def test_lines_stand_in_the_tables_chain_with_their_moments(database: Database) -> None:
    journal, _ = journal_of(database)

    journal.write(News(events=a_round()), NOW + timedelta(seconds=21))

    with database.reading() as session:
        bodies = [json.loads(line.body) for line in chain.read(session, log_chain("B07"))]
        assert chain.first_breach(session, log_chain("B07")) is None
    assert [body["type"] for body in bodies] == ["dealer_changed", "bets_opened", "card_dealt", "round_closed"]
    assert bodies[2]["at"] == "2026-11-21T20:00:09.000Z"


def test_log_goes_on_where_it_ended(database: Database) -> None:
    journal, begun = journal_of(database)
    assert begun == []
    journal.write(News(events=a_round()), NOW)

    again, known = journal_of(database, later_h=1)

    assert [event.t for event in known] == [1.0, 2.0, 9.0, 20.0]
    assert again.began_at == NOW
    assert again.dealer(NOW + timedelta(hours=1)) == "D1"


@pytest.mark.parametrize(
    ("rules", "later_h"),
    [
        pytest.param({"rulebook": "nsw", "options": {}}, 1.0, id="other-rules"),
        pytest.param(RULES, 25.0, id="old"),
    ],
)
def test_log_begins_anew_under_other_rules_or_after_a_day(
    database: Database, rules: dict[str, object], later_h: float
) -> None:
    journal, _ = journal_of(database)
    journal.write(News(events=a_round()), NOW)

    again, known = journal_of(database, rules=rules, later_h=later_h)

    assert known == []
    assert again.began_at == NOW + timedelta(hours=later_h)
    again.write(News(events=[BetsOpened(t=0.5)]), again.began_at)
    with database.reading() as session:
        assert [line.seq for line in chain.read(session, log_chain("B07"))] == [1, 2, 3, 4, 5]


def test_alert_is_sealed_and_its_pictures_are_promised(database: Database) -> None:
    journal, _ = journal_of(database)
    journal.write(News(events=a_round()[:1]), NOW)

    (entry,) = journal.write(News(alerts=[ALERT]), NOW + timedelta(seconds=14))

    at = NOW + timedelta(seconds=12.5)
    assert (entry.at, entry.from_at, entry.to_at) == (
        at,
        at - timedelta(seconds=LIVE_CLIP.lead_s),
        at + timedelta(seconds=LIVE_CLIP.tail_s),
    )
    with database.reading() as session:
        row = session.get_one(AlertRow, entry.alert_id)
        assert (row.state, row.code, row.dealer, row.at) == ("open", "late_bet.placed", "D1", at)
        kinds = session.scalars(select(EvidenceRow.kind).where(EvidenceRow.state == "promised")).all()
        assert sorted(kinds) == ["after", "before", "clip", "overlay", "still"]
        (line,) = chain.read(session, alert_chain("B07"))
        assert json.loads(line.body)["body"]["rule"] == "6.3"


@pytest.mark.parametrize("is_together", [True, False], ids=["written together", "written after the next dealer came"])
def test_alert_is_of_the_dealer_who_dealt_then(database: Database, is_together: bool) -> None:
    journal, _ = journal_of(database)
    events = [*a_round(), DealerChanged(t=21.0, dealer="D2")]

    if is_together:
        (entry,) = journal.write(News(events=events, alerts=[ALERT]), NOW)
    else:
        journal.write(News(events=events), NOW)
        (entry,) = journal.write(News(alerts=[ALERT]), NOW)

    assert journal.dealer(NOW + timedelta(seconds=30)) == "D2"
    with database.reading() as session:
        assert session.get_one(AlertRow, entry.alert_id).dealer == "D1"


def test_dealer_who_gets_another_name_in_the_register_deals_on_under_it(database: Database) -> None:
    journal, _ = journal_of(database)
    journal.write(News(events=a_round()), NOW)
    with database.writing() as session:
        kim = add_dealer(session, DealerFields(name="Kim Lee", badge="D1"), now=NOW)
    assert journal.dealer(NOW + timedelta(seconds=30)) == "Kim Lee"
    with database.writing() as session:
        change_dealer(session, kim, DealerFields(name="Kim Park", badge="D1"))
    (entry,) = journal.write(News(alerts=[ALERT]), NOW)
    with database.reading() as session:
        assert session.get_one(AlertRow, entry.alert_id).dealer == "Kim Park"


def test_round_that_is_written_with_the_next_dealer_is_of_its_own(database: Database) -> None:
    from thirdcard.rules.referee import Referee
    from thirdcard.rules.rulebook.load import elect, load_rulebook

    referee, events = Referee(elect(load_rulebook("tas"), {})), [*a_round(), DealerChanged(t=21.0, dealer="D2")]
    rounds = [record for event in events for record in referee.observe(event).rounds]
    journal, _ = journal_of(database)
    journal.write(News(events=events, rounds=rounds), NOW)

    with database.reading() as session:
        assert [row.dealer for row in session.scalars(select(RoundRow))] == ["D1"]


def test_rounds_name_their_lines(database: Database) -> None:
    from thirdcard.rules.referee import Referee
    from thirdcard.rules.rulebook.load import elect, load_rulebook

    referee = Referee(elect(load_rulebook("tas"), {}))
    journal, _ = journal_of(database)
    for shift in (0.0, 30.0):
        events = [BetsOpened(t=2.0 + shift), RoundClosed(t=20.0 + shift)]
        rounds = [record for event in events for record in referee.observe(event).rounds]
        journal.write(News(events=events, rounds=rounds), NOW)

    with database.reading() as session:
        rows = session.scalars(select(RoundRow).order_by(RoundRow.id)).all()
    assert [(row.number, row.first_line, row.last_line) for row in rows] == [(1, 1, 2), (2, 3, 4)]
    assert rows[1].closed_at == NOW + timedelta(seconds=50)


def test_nothing_is_entered_where_the_transaction_fails(database: Database) -> None:
    journal, _ = journal_of(database)

    def fail(_session: object) -> None:
        raise RuntimeError("killed")

    with pytest.raises(RuntimeError):
        journal.write(News(events=a_round(), alerts=[ALERT]), NOW, fail)

    with database.reading() as session:
        assert list(chain.read(session, log_chain("B07"))) == []
        assert session.scalars(select(AlertRow)).all() == []


def test_report_of_a_device_is_read_again_until_its_line_is_written(database: Database) -> None:
    with database.writing() as session:
        session.add(SignalRow(table_id="B07", at=NOW + timedelta(seconds=3), body='{"type": "no_more_bets"}'))
    inbox = Inbox(database, "B07", NOW)
    (event,) = inbox.take(5.0)
    assert event.t == 3.0
    assert inbox.take(6.0) == []

    assert [event.t for event in Inbox(database, "B07", NOW).take(5.0)] == [3.0]

    assert inbox.written_before(3.0) == []
    numbers = inbox.written_before(3.1)
    with database.writing() as session:
        inbox.mark(session, numbers)
    assert Inbox(database, "B07", NOW).take(9.0) == []


def test_report_that_comes_late_is_not_taken_for_written() -> None:
    interpreter = Interpreter(load_layout("mini-7", Path()))
    interpreter.release(100.0)

    interpreter.signal(DealerChanged(t=3.0, dealer="D1"))
    assert interpreter.waiting.first_t == 3.0

    (line,) = interpreter.release(101.0)
    assert isinstance(line, DealerChanged)
    assert interpreter.waiting.first_t > 101.0


class FallingDatabase(Database):
    """Falls once while it commits: before the entry stands, or after, and then nobody is notified that it does."""

    falls: str | None = None

    @contextmanager
    def writing(self, *, is_shown: bool = True) -> Iterator[Session]:
        with super().writing(is_shown=is_shown) as session:
            yield session
            if self.falls == "before":
                self.falls = None
                raise OperationalError("COMMIT", {}, Exception("server closed the connection unexpectedly"))
        if self.falls == "after":
            self.falls = None
            raise OperationalError("COMMIT", {}, Exception("server closed the connection unexpectedly"))


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("has_lines", [True, False], ids=["lines-and-alert", "alert-alone"])
def test_entry_whose_commit_is_in_doubt_stands_once(database: Database, when: str, has_lines: bool) -> None:
    falling = FallingDatabase(database.engine)
    journal, _ = journal_of(falling)
    journal.write(News(events=a_round()), NOW)
    news = News(events=[BetsOpened(t=22.0)] if has_lines else [], alerts=[ALERT])

    falling.falls = when
    with pytest.raises(OperationalError):
        journal.write(news, NOW)
    (entry,) = journal.write(news, NOW)
    journal.write(News(events=[RoundClosed(t=30.0)]), NOW)

    with database.reading() as session:
        assert session.scalars(select(AlertRow.id)).all() == [entry.alert_id]
        assert entry.to_at == NOW + timedelta(seconds=12.5 + LIVE_CLIP.tail_s)
        assert [line.seq for line in chain.read(session, log_chain("B07"))] == list(range(1, 6 + has_lines))


def test_same_alert_again_is_another_where_no_commit_is_in_doubt(database: Database) -> None:
    journal, _ = journal_of(database)

    first, second = (journal.write(News(alerts=[ALERT]), NOW)[0].alert_id for _ in range(2))

    assert first != second


def test_alert_that_the_process_before_told_is_not_told_again(database: Database) -> None:
    before, _ = journal_of(database)
    (entry,) = before.write(News(alerts=[replace(ALERT, noticed_at=15.0)]), NOW)

    journal, _ = journal_of(database)
    other = replace(ALERT, t=13.0)
    told = journal.write(News(alerts=[replace(ALERT, noticed_at=31.0), other]), NOW)

    with database.reading() as session:
        assert session.scalars(select(AlertRow.id)).all() == [entry.alert_id, *(one.alert_id for one in told)]
        assert len(told) == 1
        assert chain.first_breach(session, alert_chain("B07")) is None


def test_alert_that_is_taken_back_is_withdrawn_and_stays(database: Database) -> None:
    journal, _ = journal_of(database)
    (entry,) = journal.write(News(alerts=[ALERT]), NOW)

    journal.write(News(withdrawn=[replace(ALERT, confidence=0.2, noticed_at=15.0)]), NOW + timedelta(seconds=3))

    with database.reading() as session:
        row = session.get_one(AlertRow, entry.alert_id)
        (change,) = session.scalars(select(AlertChange).where(AlertChange.alert_id == entry.alert_id)).all()
        assert (row.state, change.who, change.before, change.after) == ("withdrawn", "watch", "open", "withdrawn")
        assert chain.first_breach(session, alert_chain("B07")) is None


def test_alert_that_somebody_has_taken_stays_with_him(database: Database) -> None:
    journal, _ = journal_of(database)
    (entry,) = journal.write(News(alerts=[ALERT]), NOW)
    with database.writing() as session:
        session.get_one(AlertRow, entry.alert_id).state = "acknowledged"

    journal.write(News(withdrawn=[ALERT]), NOW)

    with database.reading() as session:
        assert session.get_one(AlertRow, entry.alert_id).state == "acknowledged"
        assert "alert.withdrawn" in [json.loads(line.body)["action"] for line in chain.read(session, AUDIT)]


def test_doubtful_finding_is_no_alert(database: Database) -> None:
    journal, _ = journal_of(database)
    doubtful = replace(ALERT, confidence=0.3)

    assert journal.write(News(doubtful=[doubtful]), NOW) == []

    with database.reading() as session:
        assert session.scalars(select(AlertRow)).all() == []
        (row,) = session.scalars(select(DoubtfulRow)).all()
        assert (row.code, row.round, row.confidence) == ("late_bet.placed", 1, 0.3)
        assert row.at == NOW + timedelta(seconds=12.5)


def test_round_of_several_alerts_is_indexed_once(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    indexed = []

    def note(session: Session, alert: AlertRow) -> None:
        indexed.append(alert.round)
        enter_round_of_alert(session, alert)

    monkeypatch.setattr("thirdcard.service.live.journal.enter_round_of_alert", note)
    journal, _ = journal_of(database)
    alerts = [replace(ALERT, round=number, t=12.5 + second) for number in (1, 2) for second in range(4)]

    entered = journal.write(News(alerts=alerts), NOW + timedelta(seconds=21))

    assert len(entered) == 8
    assert sorted(indexed) == [1, 2]
