"""What a camera's reader says of a stream of which nothing sound arrives."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from tests.service.store.conftest import NOW
from thirdcard.service.live.camera import DAMAGED, CameraReader, CameraState
from thirdcard.service.live.sight import Sight
from thirdcard.service.ports.clock import now_utc
from thirdcard.vision.frames import SightFault, SightLost

PATIENCE_S, STEP_S = 10.0, 0.1


class FakeStream:
    """A live stream that brings what the test puts in, until it puts in None."""

    is_lossy = False

    def __init__(self) -> None:
        self.items: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.size_wh_px: object = None

    @contextmanager
    def open(self, _keep: object) -> Iterator[SimpleNamespace]:
        yield SimpleNamespace(looks=lambda: iter(self.items.get, None))

    def remaining(self) -> None:
        """Nobody was refused."""

    def note_nothing_sent(self) -> None:
        """The source was closed."""

    def note_sight(self, *, is_damaged: bool) -> None:
        """What came last."""


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(0.01)


def test_a_stream_of_which_nothing_is_sound_says_so_until_a_picture_comes(tmp_path: Path) -> None:
    stream, calibration = FakeStream(), SimpleNamespace(image_size_wh_px=(1280, 720))
    config = SimpleNamespace(
        name="overhead",
        is_live=True,
        loop=False,
        is_played_again=False,
        calibration=calibration,
        kept=timedelta(minutes=1),
    )  # fmt: skip
    reader = CameraReader(cast(Any, config), tmp_path / "ring", now_utc, cast(Any, stream))
    sight = Sight(reader, cast(Any, SimpleNamespace()))
    reader.start()
    try:
        assert sight.state(NOW, 0.0) == (CameraState.CONNECTING, None)
        stream.items.put(SightLost(0.0, SightFault.DAMAGED))
        wait_until(lambda: reader.fault is not None)
        assert sight.state(NOW, 0.0) == (CameraState.CONNECTING, DAMAGED)
        for i in range(3):
            time.sleep(STEP_S)
            stream.items.put(SimpleNamespace(t=i * STEP_S))
        wait_until(lambda: reader.state is CameraState.PLAYING)
        assert sight.state(NOW, 0.0) == (CameraState.PLAYING, None)
    finally:
        stream.items.put(None)
        reader.stop()
