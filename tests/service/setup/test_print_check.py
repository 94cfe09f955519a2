"""A layout that does not lie on the print is found, wherever on the cloth; a good one is not touched."""

from __future__ import annotations

import re

import cv2
import numpy as np
import pytest

from tests.calibration.cameras import camera_over
from tests.vision.printed_cloth import LAYOUT, cloth, seen, turned
from thirdcard.calibration.camera import Calibration
from thirdcard.service.setup.print_check import print_problems, print_warning
from thirdcard.service.setup.problems import SetupProblem
from thirdcard.vision.frames import Image

CAMERA = camera_over(LAYOUT)
LINED = cloth(1, has_lines=True)
WAYS = ("right", "left", "players", "dealer")


def found(camera: Calibration, picture: Image | None = None) -> list[SetupProblem]:
    """What is said of a calibration where the camera hangs as `CAMERA` says."""
    grey = seen(CAMERA, LINED) if picture is None else picture
    image = np.asarray(cv2.cvtColor(grey, cv2.COLOR_GRAY2BGR), np.uint8)
    return list(print_problems(image, camera, LAYOUT, "overhead.yaml"))


def test_print_that_lies_where_the_layout_says_is_no_problem() -> None:
    assert found(CAMERA) == []


def test_dim_and_noisy_picture_is_no_problem() -> None:
    dim = seen(CAMERA, LINED, noise=10).astype(np.float32) * 0.4
    assert found(CAMERA, dim.astype(np.uint8)) == []


@pytest.mark.parametrize(
    ("by_mm", "grades", "said"),
    [
        ((3.0, 0.0, 0.0), [], ""),
        ((0.0, 9.0, 0.0), ["doubtful"] * 3, "9 mm nearer to the players"),
        ((20.0, 0.0, 0.0), ["wrong"] * 3, "20 mm farther right"),
        ((-30.0, -20.0, 0.0), ["wrong"] * 3, "30 mm farther left and 20 mm nearer to the dealer"),
    ],
)
def test_offset_is_told_in_millimetres(by_mm: tuple[float, float, float], grades: list[str], said: str) -> None:
    problems = found(turned(CAMERA, (0.0, 0.0, 0.0), by_mm))
    assert [str(one.grade) for one in problems] == grades
    for one in problems:
        told = one.say.partition("the print lies ")[2].partition(" than the layout says")[0]
        assert [float(n) for n in re.findall(r"\d+", told)] == pytest.approx(
            [float(n) for n in re.findall(r"\d+", said)], abs=2.1
        )
        assert [way for way in WAYS if way in told] == [way for way in WAYS if way in said]


def test_turned_camera_is_told_where_it_is_off() -> None:
    parts = {one.say.partition(" of the cloth")[0] for one in found(turned(CAMERA, (0.0, 0.0, 1.2), (0.0, 0.0, 0.0)))}
    assert {"on the left", "on the right"} <= parts


def test_another_cloth_is_told() -> None:
    (one,) = found(CAMERA, seen(CAMERA, np.full_like(LINED, 80)))
    assert "no lines" in one.say and "is it this cloth's layout" in one.say


@pytest.mark.parametrize(("by_mm", "off_mm"), [(0.0, None), (5.0, None), (9.0, 9.0), (15.0, 15.0), (40.0, 40.0)])
def test_watch_is_warned_in_a_sentence(by_mm: float, off_mm: float | None) -> None:
    image = np.asarray(cv2.cvtColor(seen(CAMERA, LINED), cv2.COLOR_GRAY2BGR), np.uint8)
    said = print_warning(image, turned(CAMERA, (0.0, 0.0, 0.0), (by_mm, 0.0, 0.0)), LAYOUT)
    if off_mm is None:
        assert said is None
    else:
        assert said is not None and float(re.findall(r"\d+", said)[0]) == pytest.approx(off_mm, abs=1.1)
