"""Frames that are worth a look: all where something moves, key frames where nothing does."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.service.watch_fakes import SIZE_WH_PX, write_table
from thirdcard.service.config.table_file import load_table
from thirdcard.vision.errors import UnreadableVideoError, VideoBreakError
from thirdcard.vision.plane.change_gate import ChangeGate
from thirdcard.vision.plane.keyframe_skip import FilmStretch, StillSkipper

RATE_HZ, KEY_S, LENGTH_S = 10, 2, 20
Shown = Callable[[float], NDArray[np.uint8]]


def still(_t: float) -> NDArray[np.uint8]:
    rng = np.random.default_rng(0)
    return rng.integers(30, 90, (SIZE_WH_PX[1], SIZE_WH_PX[0], 3), dtype=np.uint8)


def moving(from_s: float, to_s: float) -> Shown:
    """Something bright crosses the cloth."""

    def show(t: float) -> NDArray[np.uint8]:
        image = still(t)
        if from_s <= t < to_s:
            x = 60 + int(100 * (t - from_s) / (to_s - from_s))
            image[80:120, x : x + 40] = 250
        return image

    return show


def write(path: Path, show: Shown, *, b_frames: int = 0, key_s: float = KEY_S) -> Path:
    options = {
        "g": str(int(key_s * RATE_HZ)),
        "bf": str(b_frames),
        "sc_threshold": "0",
        "preset": "ultrafast",
        "crf": "12",
    }
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=RATE_HZ, options=options)
        stream.width, stream.height, stream.pix_fmt = *SIZE_WH_PX, "yuv420p"
        stream.codec_context.time_base = Fraction(1, RATE_HZ)
        for i in range(LENGTH_S * RATE_HZ):
            frame = av.VideoFrame.from_ndarray(show(i / RATE_HZ), format="bgr24")
            frame.pts = i
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def seen(path: Path, from_s: float = 0.0, to_s: float = 1e9, *, waits: bool = False, idle: bool = False) -> list[float]:
    table = load_table(write_table(path.parent))
    gate = ChangeGate(table.cameras[0].calibration, table.layout.size_mm)
    skipper = StillSkipper(gate, lambda: waits, lambda: idle)
    times = [round(frame.t, 3) for frame in skipper.frames(FilmStretch(str(path), from_s, to_s))]
    assert len(times) == skipper.decoded
    assert times == sorted(set(times))
    return times


@pytest.mark.parametrize("b_frames", [0, 2])
@pytest.mark.parametrize("suffix", [".mp4", ".mkv", ".ts"])
def test_still_table_costs_its_key_frames(tmp_path: Path, suffix: str, b_frames: int) -> None:
    times = seen(write(tmp_path / f"still{suffix}", still, b_frames=b_frames))
    # the first group is watched whole, since nothing is known before it, and so is the last, which nothing follows
    assert [t for t in times if 2.0 <= t < 18.0] == [2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0, 16.0]
    assert len([t for t in times if t < 2.0]) == len([t for t in times if t >= 18.0]) == 20


@pytest.mark.parametrize("b_frames", [0, 2])
def test_every_frame_is_seen_where_something_moves(tmp_path: Path, b_frames: int) -> None:
    times = seen(write(tmp_path / "moving.mp4", moving(6.5, 9.5), b_frames=b_frames))
    assert [t for t in times if 6.0 <= t <= 10.0] == [pytest.approx(6.0 + i / 10) for i in range(41)]
    assert [t for t in times if 2.0 <= t < 6.0] == [2.0, 4.0]
    assert [t for t in times if 10.0 < t < 18.0] == [12.0, 14.0, 16.0]


def test_key_frames_are_passed_over_too_while_nothing_is_at_stake(tmp_path: Path) -> None:
    path = write(tmp_path / "late.mp4", moving(12.5, 19.0))
    times = seen(path, idle=True)
    assert [t for t in times if 2.0 <= t < 12.0] == [2.0, 6.0, 10.0]
    assert [t for t in times if t >= 12.0] == [pytest.approx(12.0 + i / 10) for i in range(80)]


def test_short_groups_are_passed_over_together(tmp_path: Path) -> None:
    times = seen(write(tmp_path / "still.mp4", still, key_s=0.5), idle=True)
    assert [t for t in times if 0.5 <= t < 16.0] == [0.5, 4.5, 8.5, 12.5]


def test_nothing_is_passed_over_while_somebody_waits(tmp_path: Path) -> None:
    assert len(seen(write(tmp_path / "still.mp4", still), waits=True)) == LENGTH_S * RATE_HZ


def test_long_groups_are_watched_whole(tmp_path: Path) -> None:
    assert len(seen(write(tmp_path / "rare-keys.mp4", still, key_s=5))) == LENGTH_S * RATE_HZ


def test_stretch_begins_at_the_key_frame_before_it_and_ends_with_it(tmp_path: Path) -> None:
    times = seen(write(tmp_path / "moving.mp4", moving(0.0, 20.0)), 7.0, 13.04)
    assert (times[0], times[-1]) == (6.0, 13.0)


def test_times_count_from_the_first_frame_whatever_its_own_time(tmp_path: Path) -> None:
    assert seen(write(tmp_path / "late.ts", still))[0] == 0.0


def test_file_that_is_none_is_refused(tmp_path: Path) -> None:
    write_table(tmp_path)
    with pytest.raises(UnreadableVideoError, match="no such file"):
        seen(tmp_path / "gone.mp4")


def test_file_that_breaks_says_where(tmp_path: Path) -> None:
    path = write(tmp_path / "moving.ts", moving(0.0, 20.0))
    data = bytearray(path.read_bytes())
    rng = np.random.default_rng(1)
    half = len(data) // 2
    data[half : half + 40_000] = rng.integers(0, 256, 40_000, dtype=np.uint8).tobytes()
    broken = path.with_name("broken.ts")
    broken.write_bytes(data)
    try:
        times = seen(broken)
    except VideoBreakError as error:
        assert "breaks after" in str(error)
    else:
        assert len(times) < LENGTH_S * RATE_HZ
