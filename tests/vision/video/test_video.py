"""Reading videos: whole, missing, of no use, cut short and damaged."""

from __future__ import annotations

import os
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from thirdcard.vision.errors import UnreadableVideoError, VideoBreakError
from thirdcard.vision.frames import TICK_S, Frame, whole_ticks_s
from thirdcard.vision.video.video import AHEAD_BYTES, PIECE_BYTES, ReadAhead, VideoReader, probe

COUNT, RATE_HZ, SIZE_WH_PX = 40, 20, (96, 64)


def write_clip(path: Path, *, first_pts: int = 0, options: dict[str, str] | None = None) -> Path:
    """A clip of noise whose brightness grows from frame to frame."""
    rng = np.random.default_rng(0)
    with av.open(str(path), "w", options=options or {}) as container:
        stream = container.add_stream("libx264", rate=RATE_HZ)
        stream.width, stream.height, stream.pix_fmt = *SIZE_WH_PX, "yuv420p"
        stream.codec_context.time_base = Fraction(1, RATE_HZ)
        for i in range(COUNT):
            image = rng.integers(0, 100, (SIZE_WH_PX[1], SIZE_WH_PX[0], 3), dtype=np.uint8) + np.uint8(3 * i)
            frame = av.VideoFrame.from_ndarray(image, format="bgr24")
            frame.pts = first_pts + i
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def read_all(path: Path) -> list[Frame]:
    with VideoReader(path, threads=1) as reader:
        return list(reader)


def spoil(path: Path, target: Path, change: Callable[[bytearray], bytes]) -> Path:
    target.write_bytes(change(bytearray(path.read_bytes())))
    return target


def test_video_whole_gives_every_frame_with_its_time(tmp_path: Path) -> None:
    frames = read_all(write_clip(tmp_path / "clip.mp4"))
    assert [frame.index for frame in frames] == list(range(COUNT))
    assert np.allclose([frame.t for frame in frames], np.arange(COUNT) / RATE_HZ, atol=1e-3)


def test_frames_times_are_whole_ticks_whose_differences_do_not_depend_on_the_clocks_beginning(tmp_path: Path) -> None:
    times = [frame.t for frame in read_all(write_clip(tmp_path / "clip.mp4"))]
    assert all(t / TICK_S == round(t / TICK_S) for t in times)
    for began in map(whole_ticks_s, (3.37, 64.0, 86_399.123456)):
        assert [(began + t) - (began + times[3]) for t in times] == [t - times[3] for t in times]


def test_video_that_starts_late_counts_from_its_first_frame(tmp_path: Path) -> None:
    frames = read_all(write_clip(tmp_path / "late.mkv", first_pts=70))
    assert frames[0].t == 0.0
    assert frames[-1].t == pytest.approx((COUNT - 1) / RATE_HZ, abs=2e-3)


def test_frame_luma_and_image_show_the_same_brightness(tmp_path: Path) -> None:
    frame = read_all(write_clip(tmp_path / "clip.mp4"))[30]
    assert frame.image.shape == (64, 96, 3)
    assert frame.luma.shape == (64, 96)
    full_range = (frame.luma.astype(float) - 16) * 255 / 219
    assert abs(full_range.mean() - frame.image.mean()) < 4
    with pytest.raises(ValueError, match="read-only"):
        frame.image[0, 0] = 0


def test_frame_made_of_an_array_has_the_luma_of_its_colours() -> None:
    image = np.zeros((4, 6, 3), np.uint8)
    image[:, :, 1] = 200
    frame = Frame(3, 0.1, image)
    assert frame.size_wh_px == (6, 4)
    assert abs(int(frame.luma[0, 0]) - 0.587 * 200) < 2


def test_frame_made_of_a_gray_array_is_refused() -> None:
    with pytest.raises(ValueError, match=r"image_hw3: shape = \(4, 6\)"):
        Frame(0, 0.0, np.zeros((4, 6), np.uint8))


def test_probe_tells_codec_size_rate_and_length(tmp_path: Path) -> None:
    info = probe(write_clip(tmp_path / "clip.mp4"))
    assert (info.codec, info.size_wh_px, info.rate_hz, info.frame_count) == ("h264", SIZE_WH_PX, RATE_HZ, COUNT)
    assert info.duration_s == pytest.approx(COUNT / RATE_HZ)


def test_reader_hands_every_packet_to_the_listener(tmp_path: Path) -> None:
    sizes: list[int] = []
    with VideoReader(write_clip(tmp_path / "clip.mp4"), on_packet=lambda packet: sizes.append(packet.size)) as reader:
        count = sum(1 for _ in reader)
    assert len(sizes) == count == COUNT


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        pytest.param(None, "no such file", id="missing"),
        pytest.param(b"", "is empty", id="empty"),
        pytest.param(b"not a video at all\n" * 200, "Invalid data", id="text"),
    ],
)
def test_video_that_cannot_be_opened_says_why(tmp_path: Path, content: bytes | None, reason: str) -> None:
    path = tmp_path / "video.mp4"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UnreadableVideoError, match=reason) as caught:
        VideoReader(path).open()
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_video_that_is_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableVideoError, match="is a folder"):
        probe(tmp_path)


def test_video_without_pictures_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sound.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", rate=44100)
        sound = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
        sound.sample_rate = 44100
        container.mux(stream.encode(sound))
        container.mux(stream.encode())
    with pytest.raises(UnreadableVideoError, match="no video stream"):
        VideoReader(path).open()


def test_video_of_an_unknown_codec_is_refused(tmp_path: Path) -> None:
    whole = write_clip(tmp_path / "clip.avi")
    path = spoil(whole, tmp_path / "odd.avi", lambda data: bytes(data).replace(b"H264", b"Qz9!"))
    with pytest.raises(UnreadableVideoError):
        probe(path)


def test_video_cut_before_its_index_cannot_be_opened(tmp_path: Path) -> None:
    whole = write_clip(tmp_path / "clip.mp4")
    path = spoil(whole, tmp_path / "cut.mp4", lambda data: bytes(data[: len(data) // 2]))
    with pytest.raises(UnreadableVideoError):
        probe(path)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda data: bytes(data[: int(len(data) * 0.7)]), id="cut_short"),
        pytest.param(lambda data: bytes(data[: len(data) // 2]) + bytes(len(data) - len(data) // 2), id="zeros"),
    ],
)
def test_video_that_breaks_in_the_middle_gives_what_came_before(
    tmp_path: Path, change: Callable[[bytearray], bytes]
) -> None:
    whole = write_clip(tmp_path / "clip.mp4", options={"movflags": "faststart"})
    path = spoil(whole, tmp_path / "broken.mp4", change)
    frames: list[Frame] = []
    with pytest.raises(VideoBreakError, match=r"breaks after \d") as caught, VideoReader(path, threads=1) as reader:
        frames.extend(reader)
    assert 0 < len(frames) < COUNT or caught.value.frames < COUNT
    assert 0.0 <= caught.value.t < (COUNT - 1) / RATE_HZ


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """From where to where it was asked to read, in order."""
    wishes: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "posix_fadvise", lambda _, start, length, __: wishes.append((start, start + length)))
    return wishes


@pytest.fixture
def path(tmp_path: Path) -> str:
    (tmp_path / "film").write_bytes(b"film")
    return str(tmp_path / "film")


def test_all_that_comes_is_asked_for_once_and_in_order(path: str, asked: list[tuple[int, int]]) -> None:
    step = PIECE_BYTES // 3
    with ReadAhead(path) as ahead:
        for at_bytes in range(1000, 1000 + 20 * step, step):
            ahead.reached(at_bytes)
            assert asked[-1][1] > at_bytes + AHEAD_BYTES - PIECE_BYTES
    assert asked[0][0] == 1000
    assert [begin for begin, _ in asked[1:]] == [end for _, end in asked[:-1]]


def test_after_a_jump_it_goes_on_from_there(path: str, asked: list[tuple[int, int]]) -> None:
    with ReadAhead(path) as ahead:
        ahead.reached(0)
        for far in (10 * AHEAD_BYTES, AHEAD_BYTES):
            asked.clear()
            ahead.reached(far)
            assert asked[0][0] == far


def test_where_nothing_is_known_nothing_is_asked(tmp_path: Path, path: str, asked: list[tuple[int, int]]) -> None:
    with ReadAhead(path) as ahead:
        ahead.reached(None)
    with ReadAhead(str(tmp_path / "missing")) as ahead:
        ahead.reached(0)
    assert asked == []


def test_where_the_system_takes_no_wishes_nothing_is_opened(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "posix_fadvise")
    monkeypatch.setattr(os, "open", lambda *_: pytest.fail("opened for nothing"))
    with ReadAhead(path) as ahead:
        ahead.reached(0)


def test_this_system_takes_the_wishes(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    wish, taken = os.posix_fadvise, []

    def ask(file: int, start: int, length: int, advice: int) -> None:
        wish(file, start, length, advice)
        taken.append(start)

    monkeypatch.setattr(os, "posix_fadvise", ask)
    with ReadAhead(path) as ahead:
        ahead.reached(0)
    assert len(taken) == AHEAD_BYTES // PIECE_BYTES
