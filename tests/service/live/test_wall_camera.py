"""A smaller stream is open while somebody looks, and no longer."""

from __future__ import annotations

import http.server
import threading
import time
from collections import deque
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import cv2
import numpy as np
import pytest

from tests.repository import DEMO
from tests.rtsp_door import rtsp_door
from tests.service.store.conftest import NOW
from thirdcard.service.config.table_file import load_table
from thirdcard.service.live.camera import Shot
from thirdcard.service.live.door import Door
from thirdcard.service.live.entrance import Entrance
from thirdcard.service.live.live_pictures import WIDTH_PX, PictureWriter
from thirdcard.service.live.wall_camera import FRESH, LOOKED_FOR, WallCamera

PATIENCE_S = 30.0


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files and says nothing."""

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


@pytest.fixture
def address() -> Iterator[str]:
    """The shipped recording, as a stream."""
    handler = partial(Quiet, directory=str(DEMO))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/video.mp4"
        server.shutdown()


def until(wall: WallCamera, *, is_running: bool) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        running = wall._thread is not None and wall._thread.is_alive()
        if running is is_running and (wall.picture() is not None) is is_running:
            return
        time.sleep(0.02)
    raise TimeoutError


def test_stream_is_open_while_somebody_looks(address: str) -> None:
    clock: list[datetime] = [NOW]
    now = partial(lambda moments: moments[0], clock)
    wall = WallCamera("overhead", Entrance(address, Door(None), now, deque(["tcp"])), now)
    assert wall.picture() is None
    wall.look()
    until(wall, is_running=True)
    clock[0] += LOOKED_FOR + timedelta(seconds=1)
    until(wall, is_running=False)
    wall.look()
    until(wall, is_running=True)
    wall.stop()
    assert wall._thread is not None
    assert not wall._thread.is_alive()


def test_picture_that_is_no_longer_new_is_not_shown() -> None:
    clock: list[datetime] = [NOW]
    now = partial(lambda moments: moments[0], clock)
    wall = WallCamera("overhead", Entrance("rtsp://h/small", Door(None), now, deque(["tcp"])), now)
    frame = cast(Any, SimpleNamespace())
    wall._newest = (NOW, frame)
    assert wall.picture() is frame
    clock[0] += 2 * FRESH
    assert wall.picture() is None


def test_a_refused_password_is_asked_once_here_as_well(tmp_path: Path) -> None:
    with rtsp_door() as camera:
        door = Door(tmp_path / "door.json")
        source = f"rtsp://gast:geheim@127.0.0.1:{camera.port}/small"
        wall = WallCamera("overhead", Entrance(source, door, lambda: NOW, deque(["tcp"])), lambda: NOW)
        wall.look()
        deadline = time.monotonic() + PATIENCE_S
        while not door.remaining(NOW) and time.monotonic() < deadline:
            time.sleep(0.02)
        wall.stop()
        assert camera.passwords == 1


@pytest.mark.parametrize(("shape", "is_drawn_on"), [((270, 480), True), ((480, 480), False)])
def test_smaller_picture_is_shown_and_drawn_on_where_it_shows_the_same(
    tmp_path: Path, shape: tuple[int, int], is_drawn_on: bool
) -> None:
    table = load_table(DEMO / "table.yaml")
    grey = SimpleNamespace(image=np.full((*shape, 3), 90, np.uint8))
    wall = cast(Any, SimpleNamespace(picture=lambda: grey))
    writer = PictureWriter(tmp_path / "DEMO.jpg", table, wall)
    writer.offer(Shot(NOW, cast(Any, SimpleNamespace(image=np.zeros((1080, 1920, 3), np.uint8))), NOW), None)
    shown = cv2.imread(str(tmp_path / "DEMO.jpg"))
    assert shown is not None
    assert shown.shape[1] == WIDTH_PX
    assert np.median(shown) == pytest.approx(90, abs=3)
    assert bool((shown > 150).any()) is is_drawn_on
