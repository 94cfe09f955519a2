"""A film whose calibration does not fit the cloth, or whose layout contradicts its words, is said to be so, once."""

from __future__ import annotations

from pathlib import Path

import av
import cv2
import numpy as np
import pytest

from tests.service.setup.broken import good_setup
from tests.vision.printed_cloth import LAYOUT, cloth, seen, turned
from thirdcard.calibration.camera import Calibration, format_calibration, parse_calibration
from thirdcard.service.config.table_file import load_table
from thirdcard.service.watch.film_watch import watch_table


@pytest.mark.parametrize("off_mm", [0.0, 20.0])
def test_print_is_compared_with_the_layout(tmp_path: Path, off_mm: float) -> None:
    setup = good_setup()
    camera = parse_calibration(setup.camera, "overhead.yaml")
    setup.camera = dict(format_calibration(turned(camera, (0.0, 0.0, 0.0), (off_mm, 0.0, 0.0))))
    path = setup.write(tmp_path)
    _film(tmp_path / "video.mp4", camera)
    *_, last = watch_table(load_table(path))
    said = [note for note in last.notes if "print" in note]
    assert len(said) == (1 if off_mm else 0)
    assert LAYOUT.size_mm == load_table(path).layout.size_mm


@pytest.mark.parametrize("is_swapped", [False, True])
def test_words_are_compared_with_the_layout_before_a_round(tmp_path: Path, is_swapped: bool) -> None:
    setup = good_setup()
    if is_swapped:
        player, banker = setup.area("player-box"), setup.area("banker-box")
        player["hand"], banker["hand"] = banker["hand"], player["hand"]
    path = setup.write(tmp_path)
    _film(tmp_path / "video.mp4", parse_calibration(setup.camera, "overhead.yaml"))
    *_, last = watch_table(load_table(path))
    assert last.rounds == ()
    hint = "The Player's and the Banker's card boxes look swapped: look at the set-up"
    assert last.setup_hint == (hint if is_swapped else None)


def _film(path: Path, camera: Calibration) -> None:
    """Four seconds of a bare cloth with words."""
    picture = np.asarray(cv2.cvtColor(seen(camera, cloth(1, has_lines=True)), cv2.COLOR_GRAY2BGR), np.uint8)
    with av.open(str(path), "w") as film:
        stream = film.add_stream("libx264", rate=5, options={"preset": "ultrafast"})
        stream.width, stream.height = camera.image_size_wh_px
        stream.pix_fmt = "yuv420p"
        for _ in range(22):
            film.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="bgr24")))
        film.mux(stream.encode())
