"""The newest picture of a table: on the disk, or why not."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from tests.repository import DEMO
from tests.service.store.conftest import NOW
from thirdcard.calibration.history import CameraHistory
from thirdcard.service.config.table_file import load_table
from thirdcard.service.live.camera import Shot
from thirdcard.service.live.live_pictures import PictureWriter


def test_disk_that_takes_no_picture_is_told_and_forgotten_when_it_does(tmp_path: Path) -> None:
    table = load_table(DEMO / "table.yaml")
    writer = PictureWriter(tmp_path / "live" / "DEMO.jpg", table)
    width, height = table.cameras[0].calibration.image_size_wh_px
    frame = SimpleNamespace(image=np.zeros((height, width, 3), np.uint8))
    state = SimpleNamespace(player=(), banker=())
    watch = cast(Any, SimpleNamespace(cards=(), state=state, camera=CameraHistory(table.cameras[0].calibration)))

    writer.offer(Shot(NOW, cast(Any, frame), NOW), watch)
    assert writer.disk_fault == "No such file or directory"

    (tmp_path / "live").mkdir()
    writer._last_at = None
    writer.offer(Shot(NOW, cast(Any, frame), NOW), watch)
    assert not cast(Any, writer).disk_fault
    assert (tmp_path / "live" / "DEMO.jpg").read_bytes().startswith(b"\xff\xd8")
