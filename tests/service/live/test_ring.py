"""The ring: packets as they came, clips out of them, also of what a killed process left."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import pytest

from thirdcard.service.media.clips import ClipError
from thirdcard.service.media.ring import RingWriter, cut_from_ring, segments, stretches

BEGAN = datetime(2026, 11, 21, 20, 0, tzinfo=UTC)
RATE = 10


def after(seconds: float) -> datetime:
    return BEGAN + timedelta(seconds=seconds)


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """40 s whose grey tells the second; a key frame every two seconds, with frames that point forward."""
    path = tmp_path_factory.mktemp("video") / "video.mp4"
    with av.open(str(path), "w") as output:
        stream = output.add_stream("libx264", rate=RATE, options={"g": "20", "bf": "2", "crf": "10"})
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for n in range(40 * RATE):
            picture = np.full((48, 64, 3), 20 + 5 * (n // RATE), np.uint8)
            output.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="bgr24")))
        output.mux(stream.encode())
    return path


def fill(folder: Path, video: Path, *, keep: timedelta = timedelta(minutes=5), is_killed: bool = False) -> None:
    writer = RingWriter(folder, keep=keep)
    with av.open(str(video)) as container:
        stream = container.streams.video[0]
        for packet in container.demux(stream):
            if packet.dts is not None and packet.time_base is not None:
                writer.add(packet, stream, after(float(packet.dts * packet.time_base)))
    if not is_killed:
        writer.close()


def greys(clip: Path) -> list[float]:
    with av.open(str(clip)) as container:
        return [float(frame.to_ndarray(format="gray").mean()) for frame in container.decode(video=0)]


def test_clip_begins_at_the_key_frame_before_and_ends_where_asked(tmp_path: Path, video: Path) -> None:
    fill(tmp_path / "ring", video)

    times = cut_from_ring(
        tmp_path / "ring", tmp_path / "clip.mp4", at=after(13.5), from_at=after(13.5), to_at=after(21.0)
    )

    assert abs((times.began - after(12)).total_seconds()) < 0.35
    assert abs((times.ended - after(21)).total_seconds()) < 0.35
    shown = greys(tmp_path / "clip.mp4")
    assert abs(len(shown) - 90) <= 4
    assert shown == sorted(shown)


def test_packets_are_copied_as_they_came(tmp_path: Path, video: Path) -> None:
    fill(tmp_path / "ring", video)
    cut_from_ring(tmp_path / "ring", tmp_path / "clip.mp4", at=after(0), from_at=after(0), to_at=after(60))

    with av.open(str(video)) as one, av.open(str(tmp_path / "clip.mp4")) as other:
        original = [frame.to_ndarray(format="gray") for frame in one.decode(video=0)]
        copied = [frame.to_ndarray(format="gray") for frame in other.decode(video=0)]

    assert len(copied) == len(original)
    assert all((a == b).all() for a, b in zip(original, copied, strict=True))


def test_what_a_killed_process_left_can_be_cut(tmp_path: Path, video: Path) -> None:
    fill(tmp_path / "ring", video, is_killed=True)

    times = cut_from_ring(tmp_path / "ring", tmp_path / "clip.mp4", at=after(33), from_at=after(33), to_at=after(37))

    assert (times.ended - after(36)).total_seconds() > 0.0


def test_segment_that_holds_nothing_is_passed_over(tmp_path: Path, video: Path) -> None:
    fill(tmp_path / "ring", video)
    (tmp_path / "ring" / "20261121T200001.000000Z.mkv").write_bytes(b"")

    times = cut_from_ring(tmp_path / "ring", tmp_path / "clip.mp4", at=after(2), from_at=after(2), to_at=after(9))

    assert abs((times.ended - after(9)).total_seconds()) < 0.35


def test_old_segments_are_deleted(tmp_path: Path, video: Path) -> None:
    fill(tmp_path / "ring", video, keep=timedelta(seconds=10))

    first = segments(tmp_path / "ring")[0]

    assert after(8) <= first.began <= after(24)


def test_time_that_the_ring_does_not_hold_is_refused(tmp_path: Path, video: Path) -> None:
    fill(tmp_path / "ring", video)

    with pytest.raises(ClipError, match="the ring holds nothing of 19:00:00 to 19:00:09"):
        cut_from_ring(
            tmp_path / "ring", tmp_path / "clip.mp4", at=after(-3600), from_at=after(-3600), to_at=after(-3591)
        )


@pytest.fixture
def interrupted(tmp_path: Path, video: Path) -> Path:
    """A ring with 0 to 40 s, nothing for 200 s, and the same film again."""
    fill(tmp_path / "ring", video)
    writer = RingWriter(tmp_path / "ring", keep=timedelta(minutes=9))
    with av.open(str(video)) as container:
        stream = container.streams.video[0]
        for packet in container.demux(stream):
            if packet.dts is not None and packet.time_base is not None:
                writer.add(packet, stream, after(240 + float(packet.dts * packet.time_base)))
    writer.close()
    return tmp_path / "ring"


@pytest.mark.parametrize(
    ("at", "from_s", "to_s", "began", "ended"),
    [
        pytest.param(39.0, 31.0, 45.0, 30.0, 39.9, id="the fault before the outage"),
        pytest.param(44.0, 36.0, 50.0, 36.0, 39.9, id="the fault in it, nearer to its beginning"),
        pytest.param(242.0, 234.0, 248.0, 240.0, 248.0, id="the fault after the outage"),
        pytest.param(238.0, 230.0, 244.0, 240.0, 244.0, id="the fault in it, nearer to its end"),
        pytest.param(39.0, 31.0, 245.0, 30.0, 39.9, id="a stretch over all of it"),
    ],
)
def test_clip_never_spans_an_outage(
    interrupted: Path, at: float, from_s: float, to_s: float, began: float, ended: float
) -> None:
    target = interrupted.parent / "clip.mp4"
    times = cut_from_ring(interrupted, target, at=after(at), from_at=after(from_s), to_at=after(to_s))

    assert abs((times.began - after(began)).total_seconds()) < 0.35
    assert abs((times.ended - after(ended)).total_seconds()) < 0.35
    with av.open(str(target)) as clip:
        seconds = [frame.time for frame in clip.decode(video=0)]
    assert max(b - a for a, b in pairwise(seconds)) < 0.5


def test_stretch_within_an_outage_is_refused(interrupted: Path) -> None:
    with pytest.raises(ClipError, match="the ring holds nothing of 20:01:40 to 20:01:54"):
        cut_from_ring(interrupted, interrupted.parent / "c.mp4", at=after(108), from_at=after(100), to_at=after(114))


def test_ring_goes_on_at_the_next_key_frame_after_the_disk_refused(tmp_path: Path, video: Path) -> None:
    writer = RingWriter(tmp_path / "ring", keep=timedelta(minutes=5))
    (tmp_path / "ring").write_bytes(b"no folder")
    refused = 0
    with av.open(str(video)) as container:
        stream = container.streams.video[0]
        for packet in container.demux(stream):
            if packet.dts is None or packet.time_base is None:
                continue
            at = after(float(packet.dts * packet.time_base))
            if at >= after(5) and refused == 3 and (tmp_path / "ring").is_file():
                (tmp_path / "ring").unlink()
            try:
                writer.add(packet, stream, at)
            except OSError:
                refused += 1
    writer.close()

    assert refused == 3, "each key frame until there is room"
    assert abs(segments(tmp_path / "ring")[0].began - after(6)) < timedelta(seconds=0.35)


def test_stretches_end_at_outages(tmp_path: Path, video: Path) -> None:
    fill(tmp_path / "ring", video)
    for segment in segments(tmp_path / "ring"):
        os.utime(segment.path, times=((segment.began + timedelta(seconds=8)).timestamp(),) * 2)
    first, second, *others = segments(tmp_path / "ring")
    second.path.unlink()

    found = stretches(tmp_path / "ring")

    assert [one.from_at for one in found] == [first.began, others[0].began]
    assert found[0].to_at == first.began + timedelta(seconds=8)
    assert found[1].to_at == others[-1].began + timedelta(seconds=8)
