"""What a recorded file says about itself: by its index where that is whole, else by its packets."""

from __future__ import annotations

from pathlib import Path
from zoneinfo import ZoneInfo

import av
import numpy as np
import pytest

from thirdcard.service.review.files import RecordedFile, read_file
from thirdcard.vision.video import film_index
from thirdcard.vision.video.film_index import FilmRun

RATE_HZ = 10


def write(path: Path, ticks: list[int], *, b_frames: int = 0, faststart: bool = False) -> Path:
    """A video whose pictures are shown at the given tenths of a second."""
    options = {"movflags": "+faststart"} if faststart else {}
    with av.open(str(path), "w", options=options) as container:
        stream = container.add_stream("libx264", rate=RATE_HZ, options={"bf": str(b_frames), "g": "10"})
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        rng = np.random.default_rng(0)
        for tick in ticks:
            frame = av.VideoFrame.from_ndarray(rng.integers(0, 256, (48, 64, 3), dtype=np.uint8), format="bgr24")
            frame.pts = tick
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def read(path: Path) -> RecordedFile:
    return read_file(path, ZoneInfo("UTC"))


def no_packets(*_: object, **_options: object) -> None:
    raise AssertionError("the file was read to its end")


@pytest.mark.parametrize("b_frames", [0, 2])
@pytest.mark.parametrize("suffix", [".mp4", ".mov", ".mkv", ".ts"])
def test_every_container_tells_the_same_runs(tmp_path: Path, suffix: str, b_frames: int) -> None:
    told = read(write(tmp_path / f"a{suffix}", [*range(40), *range(100, 140)], b_frames=b_frames))
    assert told.fault is None
    spans = [(run.from_s, run.to_s) for run in told.runs]
    assert spans == [pytest.approx((0.0, 4.0), abs=0.01), pytest.approx((10.0, 14.0), abs=0.01)]


def test_whole_index_spares_the_packets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "a.mp4", [*range(40), *range(100, 140)])
    with monkeypatch.context() as without:
        without.setattr(film_index, "_listed", lambda *_: None)
        by_packets = read(path)
    film_index._index_of.cache_clear()
    monkeypatch.setattr(film_index, "_scanned", no_packets)
    assert read(path) == by_packets


def test_file_shorter_than_its_index_says_where_it_is_cut_off(tmp_path: Path) -> None:
    whole = write(tmp_path / "a.mp4", list(range(100)), faststart=True)
    data = whole.read_bytes()
    cut = tmp_path / "cut.mp4"
    cut.write_bytes(data[: len(data) * 2 // 3])
    told = read(cut)
    assert read(whole).runs == (FilmRun(0.0, 10.0),)
    assert told.fault == f"breaks after {told.lasts_s - 1 / RATE_HZ:.1f} s: the file is cut off"
    assert 3.0 < told.lasts_s < 9.0
