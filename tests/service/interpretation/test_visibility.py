"""What the camera could not see stands in the log, and is not alleged."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from tests.service.watch_fakes import write_table
from tests.vision.drawn_clips import RATE_HZ, Spoil, clip, covered, frozen, moved, straight_down
from thirdcard.calibration.camera import save_calibration
from thirdcard.calibration.layout import load_layout
from thirdcard.rules.log.events import (
    UNSEEN,
    Bet,
    BetsOpened,
    CameraBack,
    CameraEvent,
    CameraLost,
    CameraMoved,
    CameraObstructed,
    CardDealt,
    Event,
    NoMoreBets,
    Outcome,
    ResultAnnounced,
    RoundClosed,
    WagerChanged,
)
from thirdcard.rules.referee import Referee
from thirdcard.rules.rulebook.load import elect, load_rulebook
from thirdcard.rules.rulebook.model import Phase
from thirdcard.service.config.table_file import load_table
from thirdcard.service.interpretation.dealing import UnseenBacks
from thirdcard.service.interpretation.interpreter import HOLD_S, Interpreter
from thirdcard.service.interpretation.visibility import Blindness
from thirdcard.service.watch.pipeline import TableWatch, start_watch
from thirdcard.vision.observations import (
    CardRested,
    FirstLookDoubted,
    Observation,
    PictureCleared,
    PictureFault,
    PictureFaulted,
    Reading,
    Stack,
    StacksChanged,
)

LAYOUT = load_layout("mini-7", Path())
REGIONS = {area.hand: area.id for area in LAYOUT.of_kind("hand")}
AREA = next(area for area in LAYOUT.of_kind("wager") if area.bet == "banker" and area.seat == 3)
STACK = Stack(at_mm=(0.0, 0.0), height_mm=3.3, count=1.0)
FROZEN = (PictureFaulted(t=10.0, fault=PictureFault.FROZEN), PictureCleared(t=20.0))


def rested(track: int, t: float, hand: str, label: str, *, hidden_s: float = 0.0) -> CardRested:
    reading = Reading(label=label, confidence=0.99)
    return CardRested(
        track_id=track, t=t, region=REGIONS[hand], at_mm=(0.0, 0.0), face_up=True, reading=reading, score=0.9,
        hidden_s=hidden_s,
    )  # fmt: skip


def placed(earliest: float, latest: float) -> StacksChanged:
    """A chip on an empty area, seen when the cover lifted."""
    return StacksChanged(
        region=AREA.id, t=(earliest + latest) / 2, t_earliest=earliest, t_latest=latest, before=(), after=(STACK,),
        growth=1, entries_mm=(),
    )  # fmt: skip


def interpreter_of(*signalled: type[Event]) -> Interpreter:
    return Interpreter(LAYOUT, frozenset(signalled), blindness=Blindness("overhead"))


def log_of(*items: Event | Observation, interpreter: Interpreter | None = None) -> list[Event]:
    """All lines; without an `interpreter` of a table whose devices report calls, results and ends of rounds."""
    interpreter = interpreter or interpreter_of(RoundClosed, ResultAnnounced, NoMoreBets)
    for item in items:
        if isinstance(item, Event):
            interpreter.signal(item)
        else:
            interpreter.observe(item)
    return interpreter.finish()


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (PictureFault.FROZEN, CameraLost),
        (PictureFault.MOVED, CameraMoved),
        (PictureFault.COVERED, CameraObstructed),
        (PictureFault.DARK, CameraObstructed),
        (PictureFault.BLURRED, CameraObstructed),
        (PictureFault.WASHED_OUT, CameraObstructed),
    ],
)
def test_fault_of_the_picture_is_logged_with_its_camera(fault: PictureFault, kind: type[CameraEvent]) -> None:
    begun, ended = log_of(PictureFaulted(t=10.0, fault=fault), PictureCleared(t=20.0))
    assert type(begun) is kind and isinstance(ended, CameraBack)
    assert isinstance(begun, CameraEvent)
    assert [(one.t, one.camera) for one in (begun, ended)] == [(10.0, "overhead"), (20.0, "overhead")]


@pytest.mark.parametrize(
    ("earliest", "latest", "is_sure"),
    [
        pytest.param(4.0, 5.0, True, id="before"),
        pytest.param(9.0, 10.5, False, id="as_it_began"),
        pytest.param(10.0, 20.4, False, id="meanwhile"),
        pytest.param(20.2, 21.0, True, id="after"),
    ],
)
def test_wager_that_changed_unseen_is_too_unsure_to_be_alleged(earliest: float, latest: float, is_sure: bool) -> None:
    (changed,) = [line for line in log_of(*FROZEN, placed(earliest, latest)) if isinstance(line, WagerChanged)]
    assert changed.confidence is not None
    assert (changed.confidence > UNSEEN) == is_sure


@pytest.mark.parametrize(
    ("t", "hidden_s", "is_sure"),
    [
        pytest.param(20.8, 10.8, False, id="hidden since before"),
        pytest.param(20.3, 0.0, False, id="too soon to have left the shoe in sight"),
        pytest.param(20.8, 0.0, True, id="later"),
    ],
)
def test_card_that_may_have_come_unseen_is_not_sure(t: float, hidden_s: float, is_sure: bool) -> None:
    lines = log_of(*FROZEN, rested(1, t, "player", "7H", hidden_s=hidden_s))
    sure = [line.confidence or 0.0 for line in lines if isinstance(line, CardDealt)]
    assert [each > UNSEEN for each in sure] == [is_sure]


def judged(*between: Event | Observation) -> tuple[list[str], list[str]]:
    """Codes alleged of a round whose Player lacks a third card, and those left undetermined."""
    cards = [rested(1, 3.0, "player", "2C"), rested(2, 4.0, "banker", "KD"), rested(3, 5.0, "player", "3H")]
    cards.append(rested(4, 6.0, "banker", "2S"))
    result = ResultAnnounced(t=25.0, player=5, banker=2, winner=Outcome.PLAYER)
    return judgement(log_of(NoMoreBets(t=1.0), *cards, *between, result, RoundClosed(t=30.0)), "tas")


def judgement(lines: list[Event], rulebook: str) -> tuple[list[str], list[str]]:
    """Codes alleged, and those left undetermined."""
    referee = Referee(elect(load_rulebook(rulebook), {}))
    judgements = [*(referee.observe(line) for line in lines), referee.finish()]
    alerts = [alert.code for each in judgements for alert in each.alerts if alert.confidence > UNSEEN]
    return alerts, [doubt.code for each in judgements for one in each.rounds for doubt in one.undetermined]


def test_missing_card_is_alleged_where_all_was_seen() -> None:
    assert judged()[0] == ["misdeal.third_card_missing"]


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (PictureFault.FROZEN, "camera.lost"),
        (PictureFault.MOVED, "camera.moved"),
        (PictureFault.COVERED, "camera.obstructed"),
    ],
)
def test_missing_card_is_undetermined_where_the_camera_could_not_see(fault: PictureFault, code: str) -> None:
    alerts, undetermined = judged(PictureFaulted(t=10.0, fault=fault), PictureCleared(t=20.0))
    assert alerts == [code]
    assert "misdeal.third_card_missing" in undetermined


def camera_events(folder: Path, spoil: Spoil) -> tuple[TableWatch, list[tuple[float, Event]]]:
    """What a watch of a clip that is spoiled from 5 to 8 s logs of its camera, and when it noticed."""
    write_table(folder)
    save_calibration(folder / "overhead.yaml", straight_down())
    watch = start_watch(load_table(folder / "table.yaml"), [])
    logged: list[tuple[float, Event]] = []
    for frame in clip(11.0, spoil, at=(5.0, 8.0)):
        watch.see(frame)
        logged += [(frame.t, event) for event in watch.take().events if isinstance(event, CameraEvent)]
    return watch, logged


@pytest.mark.parametrize(
    ("spoil", "kind"),
    [
        pytest.param(covered, "camera_obstructed", id="covered"),
        pytest.param(frozen, "camera_lost", id="frozen"),
    ],
)
def test_watch_logs_a_fault_of_its_camera_within_two_seconds(tmp_path: Path, spoil: Spoil, kind: str) -> None:
    watch, logged = camera_events(tmp_path, spoil)
    assert [event.type for _, event in logged] == [kind, "camera_back"]
    for (noticed_t, event), true_t in zip(logged, (5.0, 8.0), strict=True):
        assert event.t == pytest.approx(true_t, abs=0.45)
        assert noticed_t < true_t + 2.0
    assert watch.interpreter.known_until_t == pytest.approx(11.0 - 1 / RATE_HZ - HOLD_S)


def test_watch_sees_again_once_a_moved_camera_is_fitted_anew(tmp_path: Path) -> None:
    watch, logged = camera_events(tmp_path, partial(moved, right_mm=12.0))
    assert [event.type for _, event in logged] == ["camera_moved", "camera_back"] * 2  # moved, and moved back
    for (noticed_t, event), true_t in zip(logged[::2], (5.0, 8.0), strict=True):
        assert event.t == pytest.approx(true_t, abs=0.45)
        assert noticed_t < true_t + 2.0
    assert [event.t < true_t + 3.0 for (_, event), true_t in zip(logged[1::2], (5.0, 8.0), strict=True)] == [True] * 2
    assert [refit.moved_mm for refit in watch.refits] == pytest.approx([12.0, 12.0], abs=0.5)
    assert watch.camera.at(7.0) is watch.refits[0].calibration


def test_blindness_that_goes_on_doubts_all_that_follows() -> None:
    blindness = Blindness("overhead")
    blindness.begin(10.0)
    assert not blindness.was_blind(1.0, 9.0)
    assert blindness.was_blind(1.0, 11.0)
    blindness.end(20.0)
    assert not blindness.was_blind(20.5, 21.0)
    changed = WagerChanged(t=5.0, area="a", bet=Bet.TIE, before=None, after=None, by="unknown", confidence=0.9)
    assert blindness.doubted(changed, 1.0, 5.0) == changed
    assert blindness.doubted(changed, 1.0, 12.0) == replace(changed, confidence=UNSEEN)


def begun_amid_play(first_t: float) -> tuple[list[str], list[str]]:
    """Codes alleged, and left open, of a watch that first saw cards at `first_t`, out of order and without a call."""
    cards = [rested(1, first_t, "player", "2C"), rested(2, first_t, "player", "3H"), rested(3, first_t, "banker", "KD")]
    interpreter = Interpreter(LAYOUT, frozenset({RoundClosed, ResultAnnounced, NoMoreBets}), Blindness("overhead"))
    for card in cards:
        interpreter.observe(card)
    interpreter.signal(ResultAnnounced(t=first_t + 6.0, player=5, banker=0, winner=Outcome.PLAYER))
    interpreter.signal(RoundClosed(t=first_t + 10.0))
    return judgement(interpreter.finish(), "nz-authority")


def test_nothing_is_alleged_of_a_round_that_began_before_the_watch() -> None:
    alerts, undetermined = begun_amid_play(0.1)
    assert alerts == []
    assert "misdeal.third_card_missing" in undetermined


def test_same_round_seen_from_its_beginning_is_judged() -> None:
    assert {"misdeal.order", "procedure.no_call"} <= set(begun_amid_play(9.0)[0])


def test_sight_is_not_said_to_be_back_in_a_gap_because_cards_lay_there_before_the_watch() -> None:
    interpreter = Interpreter(LAYOUT, frozenset(), Blindness("overhead"))
    interpreter.observe(PictureFaulted(t=3.0, fault=PictureFault.FROZEN))
    lines = interpreter.release(3.0 + 2 * HOLD_S)
    interpreter.observe(PictureCleared(t=8.0))
    interpreter.observe(rested(1, 8.2, "player", "2C", hidden_s=8.0))
    cameras = [line for line in (*lines, *interpreter.finish()) if isinstance(line, CameraEvent)]
    assert [(line.type, line.t) for line in cameras] == [("camera_lost", 3.0), ("camera_back", 8.0)]


@pytest.mark.parametrize(
    ("backs", "before", "is_alleged"),
    [
        pytest.param(UnseenBacks(frozenset(Phase)), (placed(0.0, 0.5),), False, id="cards may have lain face down"),
        pytest.param(UnseenBacks(frozenset(Phase)), (), True, id="no chips lay there: without wagers no card is dealt"),
        pytest.param(UnseenBacks(), (), True, id="no card comes face down: that was print"),
        pytest.param(UnseenBacks(frozenset(Phase)), (BetsOpened(t=4.0),), True, id="and then betting opened"),
        pytest.param(UnseenBacks(frozenset(Phase)), (RoundClosed(t=4.0),), True, id="that was the round before"),
    ],
)
def test_nothing_is_alleged_of_a_round_where_backs_or_print_lay_at_the_first_look(
    backs: UnseenBacks, before: tuple[Event | Observation, ...], is_alleged: bool
) -> None:
    interpreter = Interpreter(LAYOUT, frozenset({RoundClosed, ResultAnnounced, NoMoreBets}), backs=backs)
    interpreter.observe(FirstLookDoubted(t=0.0))
    for item in before:
        if isinstance(item, Event):
            interpreter.signal(item)
        else:
            interpreter.observe(item)
    for track, (hand, label) in enumerate([("player", "2C"), ("player", "3H"), ("banker", "KD")]):
        interpreter.observe(rested(track, 9.0 + track, hand, label))
    lines = interpreter.finish()
    assert [line.t for line in lines] == sorted(line.t for line in lines)
    alerts, _ = judgement(lines, "nz-authority")
    assert bool(alerts) is is_alleged


@pytest.mark.parametrize(
    ("first", "is_sure"),
    [
        pytest.param((), True, id="bare cloth"),
        pytest.param((0.1,), False, id="chips lay there"),
        pytest.param((0.1, BetsOpened(t=1.0)), True, id="and then betting opened"),
        pytest.param((0.1, RoundClosed(t=2.0)), True, id="that was the round before"),
    ],
)
def test_wager_of_a_round_that_began_before_the_watch_is_not_sure(
    first: tuple[float | Event, ...], is_sure: bool
) -> None:
    blindness = Blindness("overhead")
    for each in first:
        if isinstance(each, Event):
            blindness.apply(each)
        else:
            blindness.doubted(wager(each), each, each)
    assert (blindness.doubted(wager(9.0), 8.8, 9.2).confidence == UNSEEN) is not is_sure


def wager(t: float) -> WagerChanged:
    return WagerChanged(t=t, area=AREA.id, seat=3, bet=Bet.BANKER, before=0, after=100, by="seat:3", confidence=0.97)


def test_card_of_a_round_that_began_before_the_watch_is_not_sure_to_have_been_dealt_as_it_shows() -> None:
    interpreter = Interpreter(LAYOUT)
    interpreter.observe(rested(1, 0.1, "banker", "KD"))
    interpreter.observe(rested(2, 2.3, "player", "2C"))
    dealt = [line for line in interpreter.finish() if isinstance(line, CardDealt)]
    assert [line.confidence for line in dealt] == [UNSEEN] * 2
