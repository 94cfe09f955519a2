"""A device that falls silent: rounds end all the same, and what it reported is concluded from what is seen."""

from __future__ import annotations

from tests.service.interpretation.test_interpreter import LAYOUT, rested
from thirdcard.rules.log.events import BetsOpened, CardDealt, Event, NoMoreBets, ResultAnnounced, RoundClosed, Source
from thirdcard.service.interpretation.device_watchdog import UNREPORTED_S, device_events_of
from thirdcard.service.interpretation.interpreter import Interpreter
from thirdcard.vision.observations import CardLeft

DEVICES = device_events_of([BetsOpened(t=0.0), NoMoreBets(t=0.0), ResultAnnounced(t=0.0), RoundClosed(t=0.0)])
FOUR = ("player", "banker", "player", "banker")


def seen_round(began_t: float) -> list[object]:
    """Four cards, and that they are taken away at `began_t` + 12."""
    track = int(began_t * 10)
    dealt = [rested(track + n, began_t + 4 + n, hand, "7H") for n, hand in enumerate(FOUR)]
    return [*dealt, *(CardLeft(track_id=track + n, t=began_t + 12) for n in range(4))]


def reports(began_t: float, *, closed: bool = True) -> list[Event]:
    """What the devices report of it."""
    told: list[Event] = [BetsOpened(t=began_t), NoMoreBets(t=began_t + 3), ResultAnnounced(t=began_t + 10)]
    return [*told, RoundClosed(t=began_t + 12.2)] if closed else told


def log_of(*items: object) -> list[Event]:
    interpreter = Interpreter(LAYOUT, DEVICES)
    log: list[Event] = []
    for item in sorted(items, key=lambda item: item.t):  # type: ignore[attr-defined]
        log += interpreter.release(item.t)  # type: ignore[attr-defined]
        interpreter.signal(item) if isinstance(item, Event) else interpreter.observe(item)  # type: ignore[arg-type]
    return [*log, *interpreter.finish()]


def ends(log: list[Event]) -> list[tuple[float, Source | None]]:
    return [(event.t, event.source) for event in log if isinstance(event, RoundClosed)]


def test_reported_rounds_end_as_reported() -> None:
    log = log_of(*seen_round(0), *reports(0), *seen_round(20), *reports(20))
    assert ends(log) == [(12.2, Source.SIGNAL), (32.2, Source.SIGNAL)]


def test_cards_that_leave_after_the_report_end_no_other_round() -> None:
    late = [rested(n, 4.0 + n, hand, "7H") for n, hand in enumerate(FOUR)] + [
        CardLeft(track_id=n, t=12.6) for n in range(4)
    ]
    log = log_of(*late, *reports(0), BetsOpened(t=12.4), *seen_round(20)[:4])
    assert ends(log) == [(12.2, Source.SIGNAL)]


def test_first_card_that_was_hidden_ends_no_round() -> None:
    hidden = [rested(1, 4.0), CardLeft(track_id=1, t=6.0), rested(2, 10.0, "banker", "9C")]
    assert ends(log_of(*hidden, BetsOpened(t=0.0), NoMoreBets(t=3.0), NoMoreBets(t=60.0))) == []


def test_round_that_nobody_closed_is_over_when_bets_open_again() -> None:
    log = log_of(*seen_round(0), *reports(0, closed=False), *seen_round(20), *reports(20))
    assert ends(log) == [(20.0, Source.INFERRED), (32.2, Source.SIGNAL)]
    assert [event.t for event in log] == sorted(event.t for event in log)


def test_round_that_nobody_closed_is_over_when_the_cloth_stays_clear() -> None:
    log = log_of(*seen_round(0), *reports(0, closed=False), BetsOpened(t=60.0))
    assert ends(log) == [(12 + UNREPORTED_S, Source.INFERRED)]


def test_report_that_comes_after_all_closes_nothing_again() -> None:
    late = RoundClosed(t=40.0)
    log = log_of(*seen_round(0), *reports(0, closed=False), late, *seen_round(50), *reports(50))
    assert ends(log) == [(12 + UNREPORTED_S, Source.INFERRED), (62.2, Source.SIGNAL)]


def test_devices_that_all_fall_silent_leave_rounds_that_end_and_close_betting() -> None:
    silent = [item for began_t in (20, 40, 60, 80) for item in seen_round(began_t)]
    log = log_of(*seen_round(0), *reports(0), *silent)
    assert len(ends(log)) == 5
    dealt = [event.t for event in log if isinstance(event, CardDealt)]
    assert len(dealt) == 20
    for number, (closed_t, _) in enumerate(ends(log)):
        assert dealt[4 * number + 3] < closed_t
        assert number == 4 or closed_t <= dealt[4 * number + 4]
    calls = [event for event in log if isinstance(event, NoMoreBets)]
    assert [call.source for call in calls] == [Source.SIGNAL, Source.INFERRED, Source.INFERRED]


def test_device_that_speaks_again_is_waited_for_again() -> None:
    silent = [item for began_t in (20, 40, 60) for item in seen_round(began_t)]
    log = log_of(*seen_round(0), *reports(0), *silent, *seen_round(80), *reports(80), *seen_round(100), *reports(100))
    assert ends(log)[-2:] == [(92.2, Source.SIGNAL), (112.2, Source.SIGNAL)]
