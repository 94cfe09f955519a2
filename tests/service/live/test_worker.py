"""What a table's process does with frames that come faster than it can look at them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, cast

from tests.service.store.conftest import NOW
from thirdcard.service.live.camera import CameraState, Shot
from thirdcard.service.live.entries import Entries
from thirdcard.service.live.load_shedding import BREATH, RESTS, Turns
from thirdcard.service.live.sight import Sight
from thirdcard.service.live.worker import Worker
from thirdcard.service.ports.messages import Message, Rest, Strained
from thirdcard.service.watch.pipeline import WatchNews

FRAME_S = 0.1


@dataclass(slots=True)
class FakeCamera:
    """Sends ten frames a second."""

    clock: list[datetime]
    pass_s: float = 3600.0
    """So often it begins anew."""
    pause_s: tuple[float, float] = (0.0, 0.0)
    """From when to when it sends nothing."""
    name: str = "overhead"
    is_played_again: bool = True
    state: CameraState = CameraState.PLAYING
    fault: str | None = None
    disk_fault: str | None = None
    missed: int = 0
    sent_until: datetime = NOW
    waited_for_s: float = FRAME_S
    is_machine: bool = False
    """Whether the pause is the machine's doing."""

    def waited_s(self) -> float:
        """Since it sent something."""
        return 0.0 if self.is_machine else self.waited_for_s

    def take(self, _timeout_s: float) -> list[Shot]:
        shots: list[Shot] = []
        while self.sent_until + timedelta(seconds=FRAME_S) <= self.clock[0]:
            self.sent_until += timedelta(seconds=FRAME_S)
            if self.pause_s[0] < (self.sent_until - NOW).total_seconds() < self.pause_s[1]:
                self.waited_for_s += 0.0 if self.is_machine else FRAME_S
                continue
            sent_s = (self.sent_until - NOW).total_seconds()
            passed_s = sent_s // self.pass_s * self.pass_s
            frame = SimpleNamespace(t=sent_s - passed_s, at=lambda t: SimpleNamespace(t=t))
            shots.append(Shot(self.sent_until, cast(Any, frame), NOW + timedelta(seconds=passed_s), self.waited_for_s))
            self.waited_for_s = FRAME_S
        return shots


@dataclass(slots=True)
class FakeWatch:
    """Takes as long for a look as it is asked to."""

    clock: list[datetime]
    look_s: float
    hangs_s: float = 0.0
    """So long one look takes, ten seconds after the first."""
    looks: list[float] = field(default_factory=list)
    sights: list[tuple[str, str | None]] = field(default_factory=list)
    shoes: list[float] = field(default_factory=list)
    signals: list[Any] = field(default_factory=list)
    began_t: float | None = None
    unwritten_t: float = 0.0

    def begin(self, t: float) -> None:
        self.began_t = t

    def see(self, frame: Any) -> None:
        self.looks.append(frame.t)
        self.clock[0] += timedelta(seconds=self.look_s)
        if frame.t > 10.0:
            self.clock[0] += timedelta(seconds=self.hangs_s)
            self.hangs_s = 0.0

    def lose_sight(self, _t: float, _camera: str, fault: str = "no_picture") -> None:
        self.sights.append(("lost", fault))

    def regain_sight(self, _t: float, _camera: str) -> None:
        self.sights.append(("back", None))

    def begin_shoe(self, t: float) -> None:
        self.shoes.append(t)

    def hear(self, _t: float) -> None:
        """Nothing was reported."""

    def wait(self, _t: float) -> None:
        """Time passes."""

    def take(self) -> WatchNews:
        return WatchNews(events=(), alerts=(), rounds=(), withdrawn=(), doubtful=())


@dataclass(slots=True)
class QuietWorker(Worker):
    """Tells nobody how it stands, but asks for its turn to rest."""

    turns: Turns = field(default_factory=Turns)
    asked: int = 0

    def _tell(self, message: Message) -> None:
        if isinstance(message, Strained):
            self.asked += 1
            if self.turns.give(self.now()):
                self._obey(Rest())


def worker_of(clock: list[datetime], watch: FakeWatch, camera: FakeCamera) -> QuietWorker:
    nothing = SimpleNamespace(
        wake=lambda: None,
        take=lambda _t: [],
        remember=lambda *_: None,
        offer=lambda *_: None,
        areas=(),
        of_kind=lambda _kind: (),
    )
    return QuietWorker(
        table=cast(Any, SimpleNamespace(id="T1", layout=nothing)),
        watch=cast(Any, watch),
        camera=cast(Any, camera),
        sight=Sight(cast(Any, camera), cast(Any, watch)),
        entries=Entries("T1", cast(Any, SimpleNamespace(began_at=NOW, dealer=None)), cast(Any, nothing)),
        evidence=cast(Any, nothing),
        pictures=cast(Any, nothing),
        link=cast(Any, nothing),
        now=lambda: clock[0],
    )


def watched(
    look_s: float,
    lasting_s: float,
    *,
    hangs_s: float = 0.0,
    pass_s: float = 3600.0,
    pause_s: tuple[float, float] = (0.0, 0.0),
    is_machine: bool = False,
) -> tuple[QuietWorker, FakeWatch]:
    """A table whose looks take so long, after that time."""
    clock = [NOW]
    watch = FakeWatch(clock, look_s, hangs_s)
    worker = worker_of(clock, watch, FakeCamera(clock, pass_s, pause_s, is_machine=is_machine))
    while clock[0] - NOW < timedelta(seconds=lasting_s):
        step(worker, clock)
    return worker, watch


def step(worker: Worker, clock: list[datetime]) -> None:
    """Frames come at their pace, however little there is to do."""
    before = clock[0]
    worker._step()
    clock[0] = max(clock[0], before + timedelta(seconds=FRAME_S))


def test_who_keeps_up_looks_at_every_frame() -> None:
    worker, watch = watched(0.05, 20.0)
    assert len(watch.looks) >= 195
    assert worker.camera.missed == 0
    assert watch.sights == [("back", None)]


def test_who_is_a_little_slow_looks_evenly_and_does_not_rest() -> None:
    worker, watch = watched(0.25, 30.0)
    gaps = [later - earlier for earlier, later in zip(watch.looks[20:], watch.looks[21:], strict=False)]
    assert max(gaps) < 0.7
    assert worker.camera.missed > 100
    assert watch.sights == [("back", None)]


def test_who_is_far_too_slow_rests_says_so_and_comes_back() -> None:
    _, watch = watched(0.6, RESTS[0].total_seconds() + 16.0)
    lost_and_back = [("lost", "overloaded"), ("back", None)]
    assert watch.sights[:5] == [("back", None), *lost_and_back, *lost_and_back]
    assert max(b - a for a, b in zip(watch.looks, watch.looks[1:], strict=False)) >= RESTS[0].total_seconds()


def test_who_may_not_rest_yet_takes_a_breath_and_asks_again() -> None:
    clock = [NOW]
    watch = FakeWatch(clock, 0.6)
    worker = worker_of(clock, watch, FakeCamera(clock))
    worker.turns.give(NOW + timedelta(hours=1))  # another's, for as long as this lasts
    while clock[0] - NOW < timedelta(seconds=40):
        step(worker, clock)
    gaps = [b - a for a, b in pairwise(watch.looks)]
    assert worker.asked >= 3
    assert BREATH.total_seconds() <= max(gaps) < RESTS[0].total_seconds() / 2
    assert watch.sights[1::2] == [("lost", "overloaded")] * (len(watch.sights) // 2)


def test_a_turn_that_comes_late_is_left() -> None:
    worker, watch = watched(0.05, 5.0)
    worker._obey(Rest())
    assert not worker.sight.stamina.remaining(worker.now())
    assert watch.sights == [("back", None)]


def test_tables_rest_one_at_a_time_where_that_is_enough() -> None:
    clocks, turns = [[NOW] for _ in range(4)], Turns()
    watches = [FakeWatch(clock, 0.0) for clock in clocks]
    workers = [worker_of(clock, watch, FakeCamera(clock)) for clock, watch in zip(clocks, watches, strict=True)]
    resting_at_once = []
    for worker in workers:
        worker.turns = turns
    while clocks[0][0] - NOW < timedelta(minutes=5):
        remaining = [worker.sight.stamina.remaining(worker.now()) for worker in workers]
        resting_at_once.append(sum(rest > BREATH for rest in remaining))
        for worker, watch, clock in zip(workers, watches, clocks, strict=True):
            watch.look_s = 0.12 * max(remaining.count(timedelta()), 1)  # two looks a second if all look, 2.8 if three
            step(worker, clock)
        for clock in clocks:
            clock[0] = max(other[0] for other in clocks)
    assert max(resting_at_once) == 1
    assert resting_at_once.count(1) > 0.8 * len(resting_at_once)


def test_who_hangs_once_has_not_seen_that_time_and_goes_on_at_once() -> None:
    worker, watch = watched(0.05, 30.0, hangs_s=6.0)
    assert watch.sights == [("back", None), ("lost", "overloaded"), ("back", None)]
    assert worker.camera.missed > 40
    assert max(b - a for a, b in zip(watch.looks, watch.looks[1:], strict=False)) < 2.0


def test_a_camera_that_pauses_is_lost_for_that_time_and_nobody_rests() -> None:
    worker, watch = watched(0.05, 12.0, pause_s=(5.0, 8.0))
    assert watch.sights == [("back", None), ("lost", "no_picture"), ("back", None)]
    assert worker.camera.missed == 0


def test_a_camera_that_stays_silent_is_lost_from_its_last_frame_on() -> None:
    worker, watch = watched(0.05, 12.0, pause_s=(5.0, 60.0))
    assert watch.sights == [("back", None), ("lost", "no_picture")]
    assert worker.sight.state(worker.now(), 12.0)[0] is CameraState.LOST


def never_seen(*, is_machine: bool = False, state: CameraState = CameraState.CONNECTING) -> FakeWatch:
    """What is reported about a camera that sends nothing for half a minute after the watch began."""
    clock = [NOW]
    watch = FakeWatch(clock, 0.05)
    camera = FakeCamera(clock, pause_s=(0.0, 30.0), is_machine=is_machine, state=state)
    worker = worker_of(clock, watch, camera)
    while clock[0] - NOW < timedelta(seconds=29):
        if state is CameraState.CONNECTING:
            camera.waited_for_s = (clock[0] - NOW).total_seconds()
        step(worker, clock)
    return watch


def test_a_camera_that_is_dead_at_the_start_is_lost_once() -> None:
    assert never_seen().sights == [("lost", "no_picture")]
    assert never_seen(state=CameraState.LOST).sights == [("lost", "no_picture")]


def test_a_camera_that_the_machine_has_not_opened_yet_is_not_lost() -> None:
    assert never_seen(is_machine=True).sights == []


def test_a_camera_that_was_dead_at_the_start_comes_back() -> None:
    watch = watched(0.05, 30.0, pause_s=(0.0, 20.0))[1]
    assert watch.sights == [("lost", "no_picture"), ("back", None)]


def test_a_machine_that_does_not_bring_the_frames_is_overloaded_and_no_camera_is_lost() -> None:
    _, watch = watched(0.05, 12.0, pause_s=(5.0, 8.0), is_machine=True)
    assert watch.sights == [("back", None), ("lost", "overloaded"), ("back", None)]


def test_a_table_whose_frames_the_machine_does_not_bring_says_so() -> None:
    worker, watch = watched(0.05, 12.0, pause_s=(5.0, 60.0), is_machine=True)
    assert watch.sights == [("back", None), ("lost", "overloaded")]
    state, fault = worker.sight.state(worker.now(), 12.0)
    assert state is CameraState.OVERLOADED
    assert fault == "the machine has too much to do: no look for 7 s"


def test_first_frame_may_lie_a_little_before_what_was_judged_as_unseen() -> None:
    clock = [NOW]
    sight = worker_of(clock, FakeWatch(clock, 0.05), FakeCamera(clock)).sight
    sight.wait(2.0)
    assert [sight.is_news(t) for t in (1.4, 1.6, 2.1)] == [False, True, True]
    sight.begin_look(1.6, NOW)
    sight.end_look(1.6)
    assert [sight.is_news(t) for t in (1.7, 2.1)] == [False, True]


def test_a_file_that_plays_again_brings_another_shoe() -> None:
    _, watch = watched(0.05, 20.0, pass_s=8.0)
    assert watch.shoes == [8.0, 16.0]


def test_report_that_comes_while_a_look_lasts_keeps_its_moment() -> None:
    clock = [NOW + timedelta(seconds=FRAME_S)]
    worker = worker_of(clock, FakeWatch(clock, look_s=1.5), FakeCamera(clock))
    asked_t: list[float] = []

    def take(now_t: float) -> list[Any]:
        asked_t.append(now_t)
        return []

    worker.entries.inbox = cast(Any, SimpleNamespace(take=take))

    worker._step()

    assert asked_t == [(clock[0] - NOW).total_seconds()]


def test_a_table_that_rests_says_so() -> None:
    worker, _ = watched(0.05, 5.0)
    now = worker.now()
    assert worker.sight.state(now, 5.0) == (CameraState.PLAYING, None)
    worker.sight.stamina.rest(now)
    assert worker.sight.state(now, 5.0) == (CameraState.RESTING, "the machine has too much to do: looks again in 10 s")
