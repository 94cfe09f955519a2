"""Clips: the camera's own packets, from the key frame before to the end that was asked for."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import pytest
from av.video.stream import VideoStream

from tests.service.watch_fakes import LENGTH_S, RATE_HZ, picture_at, write_video
from thirdcard.service.media.clips import ClipError, ClipSpan, cut_clip, decode_span


@pytest.fixture(scope="module", params=["h264", "mpeg4"])
def interrupted(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A film of 30 s in which nothing came from 10 to 18 s; one that is copied, and one that is encoded anew."""
    path = tmp_path_factory.mktemp("interrupted") / "video.mp4"
    with av.open(str(path), "w") as output:
        encoder = "libx264" if request.param == "h264" else "mpeg4"
        stream = output.add_stream(encoder, rate=5, options={"g": "5", "bf": "0"})
        assert isinstance(stream, VideoStream)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for n in (n for n in range(150) if not 50 <= n < 90):
            frame = av.VideoFrame.from_ndarray(np.full((48, 64, 3), n, np.uint8), format="bgr24")
            frame.pts, frame.time_base = n, Fraction(1, 5)
            output.mux(stream.encode(frame))
        output.mux(stream.encode())
    return path


@pytest.mark.parametrize(
    ("at_s", "from_s", "to_s"),
    [
        pytest.param(9.0, 5.0, 9.8, id="the fault lies before the outage"),
        pytest.param(19.0, 18.0, 28.0, id="the fault lies after it"),
        pytest.param(12.0, 5.0, 9.8, id="in it, nearer to its beginning"),
        pytest.param(17.0, 18.0, 28.0, id="in it, nearer to its end"),
        pytest.param(None, 18.0, 28.0, id="no moment counts: the longer side"),
    ],
)
def test_clip_of_a_recording_never_spans_an_outage(
    interrupted: Path, tmp_path: Path, at_s: float | None, from_s: float, to_s: float
) -> None:
    target = tmp_path / "clip.mp4"
    span = cut_clip(interrupted, target, ClipSpan(from_s=5.0, to_s=28.0), at_s=at_s)
    assert span.from_s == pytest.approx(from_s, abs=0.25)
    assert span.to_s == pytest.approx(to_s, abs=0.25)
    with av.open(str(target)) as container:
        times = [frame.time or 0.0 for frame in container.decode(video=0)]
    assert max(b - a for a, b in pairwise(times)) < 1


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_video(tmp_path_factory.mktemp("video") / "video.mp4")


def bar_length(path: Path, t: float) -> float:
    """What the growing bar shows at `t` of a clip: the time of the source."""
    _, frame = next(decode_span(path, ClipSpan(from_s=t, to_s=t + 1.0)))
    column = frame.to_ndarray(format="gray")[:, -10].astype(float)
    return float((column > 80).sum()) / 10


def packet_bytes(path: Path) -> list[bytes]:
    with av.open(str(path)) as container:
        return [bytes(packet) for packet in container.demux(video=0) if packet.size]


def test_clip_begins_at_the_key_frame_before_and_ends_where_asked(video: Path, tmp_path: Path) -> None:
    span = cut_clip(video, tmp_path / "clip.mp4", ClipSpan(from_s=4.5, to_s=8.0))
    assert span.from_s == pytest.approx(3.0)
    assert 8.0 <= span.to_s <= 8.5


def test_clip_shows_the_source_at_the_same_moments(video: Path, tmp_path: Path) -> None:
    target = tmp_path / "clip.mp4"
    span = cut_clip(video, target, ClipSpan(from_s=4.5, to_s=8.0))
    for t in (0.0, 1.5, 4.0):
        assert bar_length(target, t) == pytest.approx(span.from_s + t, abs=0.15)


def test_clip_is_made_of_the_source_own_packets(video: Path, tmp_path: Path) -> None:
    target = tmp_path / "clip.mp4"
    cut_clip(video, target, ClipSpan(from_s=4.5, to_s=8.0))
    assert set(packet_bytes(target)) <= set(packet_bytes(video))


def test_clip_reaching_beyond_both_ends_holds_the_whole_video(video: Path, tmp_path: Path) -> None:
    span = cut_clip(video, tmp_path / "clip.mp4", ClipSpan(from_s=-5.0, to_s=LENGTH_S + 5.0))
    assert span.from_s == 0.0
    assert span.to_s == pytest.approx(LENGTH_S - 1 / RATE_HZ)


def test_clip_plays_from_the_start_of_its_file(video: Path, tmp_path: Path) -> None:
    target = tmp_path / "clip.mp4"
    cut_clip(video, target, ClipSpan(from_s=7.0, to_s=9.0))
    with av.open(str(target)) as container:
        assert container.streams.video[0].codec_context.name == "h264"
        assert next(container.decode(video=0)).time == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize("name", [pytest.param("video.ts", id="mpeg-ts"), pytest.param("video.mkv", id="matroska")])
def test_clip_of_another_container_becomes_mp4(name: str, tmp_path: Path) -> None:
    target = tmp_path / "clip.mp4"
    span = cut_clip(write_video(tmp_path / name), target, ClipSpan(from_s=6.5, to_s=9.0))
    assert bar_length(target, 1.0) == pytest.approx(span.from_s + 1.0, abs=0.15)


def test_clip_of_a_codec_that_no_browser_plays_is_encoded_anew(tmp_path: Path) -> None:
    source = write_video(tmp_path / "video.avi", codec="mpeg4")
    span = cut_clip(source, tmp_path / "clip.mp4", ClipSpan(from_s=6.0, to_s=8.0))
    with av.open(str(tmp_path / "clip.mp4")) as container:
        assert container.streams.video[0].codec_context.name == "h264"
    assert span.from_s == pytest.approx(6.0, abs=0.11)
    assert bar_length(tmp_path / "clip.mp4", 1.0) == pytest.approx(7.0, abs=0.2)


def test_clip_of_a_file_that_is_no_video_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.mp4").write_text("no video", encoding="utf-8")
    with pytest.raises(ClipError, match=r"notes\.mp4"):
        cut_clip(tmp_path / "notes.mp4", tmp_path / "clip.mp4", ClipSpan(from_s=0.0, to_s=1.0))


def test_clip_after_the_end_is_refused(video: Path, tmp_path: Path) -> None:
    with pytest.raises(ClipError, match="holds nothing between 900"):
        cut_clip(write_video(tmp_path / "v.avi", codec="mpeg4"), tmp_path / "c.mp4", ClipSpan(from_s=900, to_s=910))


def test_frames_of_a_span_carry_their_stream_time(video: Path) -> None:
    frames = list(decode_span(video, ClipSpan(from_s=5.0, to_s=5.5)))
    assert [t for t, _ in frames] == pytest.approx(np.arange(5.0, 5.55, 0.1))
    difference = np.abs(frames[0][1].to_ndarray(format="bgr24").astype(int) - picture_at(5.0))
    assert difference.mean() < 6
