"""Films with faults, read through the one door: what is sound is shown at its time, and lost sight is reported."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from tests.endurance.film_makers import restamp
from tests.vision.video.films import GROUP, RATE_HZ, SIZE_WH_PX, number_of, picture, write
from thirdcard.vision.errors import UnreadableVideoError
from thirdcard.vision.frames import Frame, SightFault, SightLost
from thirdcard.vision.video.film_clock import ClockFault
from thirdcard.vision.video.film_index import film_index, open_film
from thirdcard.vision.video.sound_frames import SoundFrames
from thirdcard.vision.video.video import VideoReader, probe


def looks(path: Path, **how: object) -> tuple[list[Frame], list[tuple[float, str]]]:
    """The frames, and when sight was lost, and why."""
    with VideoReader(path, threads=1, **how) as reader:  # type: ignore[arg-type]
        items = list(reader.looks())
    lost = [(round(item.t, 3), str(item.fault)) for item in items if isinstance(item, SightLost)]
    return [item for item in items if isinstance(item, Frame)], lost


def mistimed(frames: list[Frame]) -> list[tuple[int, float]]:
    """Frames that do not come at their time: their numbers and times."""
    told = [(number_of(frame), frame.t) for frame in frames]
    return [(number, t) for number, t in told if abs(number / RATE_HZ - t) > 0.011]


def zeroed(path: Path, share: float, size: int) -> Path:
    data = bytearray(path.read_bytes())
    at = int(len(data) * share)
    data[at : at + size] = bytes(size)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("name", ["film.mp4", "film.mkv", "film.ts", "film.mpg", "film.flv"])
def test_damage_costs_what_lies_before_the_next_sound_key_frame(tmp_path: Path, name: str) -> None:
    form = "vob" if name.endswith("mpg") else None
    frames, lost = looks(zeroed(write(tmp_path / name, form=form), 0.45, 3000))
    assert len(lost) == 1
    from_t, fault = lost[0]
    assert fault == SightFault.DAMAGED
    back_t = next(frame.t for frame in frames if frame.t > from_t)
    assert back_t - from_t < 2 * GROUP / RATE_HZ
    assert round(back_t * RATE_HZ) % GROUP == 0
    assert mistimed(frames) == []
    assert frames[-1].t == pytest.approx(5.9, abs=0.01)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda n, stamp: stamp + 3000 * 90_000 if n == 25 else stamp, id="one stamp far ahead"),
        pytest.param(lambda n, stamp: 0 if n == 25 else stamp, id="one stamp of 0"),
        pytest.param(lambda n, stamp: stamp if n < 30 else stamp - 30 * 9000, id="back to 0"),
        pytest.param(lambda n, stamp: stamp - 3 * 90_000, id="wraps"),
        pytest.param(lambda n, stamp: 0 if n == 0 else stamp + 36_000 * 90_000, id="0 before the true ones"),
    ],
)
def test_clock_that_lies_is_mended_for_frames_and_for_who_enters_the_film(
    tmp_path: Path, change: Callable[[int, int], int]
) -> None:
    path = restamp(write(tmp_path / "film.ts"), change)
    frames, lost = looks(path)
    assert lost == []
    assert len(frames) == 60
    assert mistimed(frames) == []
    enters_anywhere(path)


@pytest.mark.parametrize(("name", "unit"), [("film.ts", 188), ("film.mpg", 2048)])
@pytest.mark.parametrize("is_swapped", [False, True], ids=["copied twice", "swapped"])
def test_parts_of_a_file_that_come_twice_or_swapped_leave_the_others_their_times(
    tmp_path: Path, name: str, unit: int, *, is_swapped: bool
) -> None:
    path = write(tmp_path / name, form="vob" if name.endswith("mpg") else None)
    data = path.read_bytes()
    at, middle, end = (int(len(data) * share) // unit * unit for share in (0.3, 0.45, 0.6))
    parts = (data[at:middle], data[middle:end])
    path.write_bytes(data[:at] + b"".join(reversed(parts) if is_swapped else (*parts, *parts)) + data[end:])
    frames, lost = looks(path)
    assert len(mistimed(frames)) <= 1  # of a picture whose packet ends at a seam the decoder makes what it can
    assert {fault for _, fault in lost} == {SightFault.DAMAGED}
    assert {number_of(frame) for frame in frames} >= {*range(15), *range(50, 60)}
    assert ClockFault.PASSED in [fault for _, fault, _ in film_index(path).faults]


@pytest.mark.parametrize(
    ("name", "b_frames"),
    [*((f"film.{kind}", n) for kind in ("mp4", "mkv", "ts", "h264", "avi") for n in (0, 2)), ("film.mpg", 0)],
)
def test_film_is_entered_at_the_same_times_at_which_it_is_read(tmp_path: Path, name: str, b_frames: int) -> None:
    path = write(tmp_path / name, form="vob" if name.endswith("mpg") else None, b_frames=b_frames)
    frames, _ = looks(path)
    assert frames[0].t == 0.0
    enters_anywhere(path)


def enters_anywhere(path: Path) -> None:
    """What is decoded from the middle of a film has the times and pictures that it has from the beginning."""
    index = film_index(path)
    by_time = {round(frame.t, 3): number_of(frame) for frame in looks(path)[0]}
    for from_s in (0.0, 0.95, 2.0, 3.3, 5.5):
        with open_film(path, from_s, index) as film:
            sound = SoundFrames(film.tick_s)
            items = [item for each in film.packets for item in sound.take(each, film.stream.decode)]
            pictures = [item for item in items if not isinstance(item, SightLost)]
            assert pictures[0].t <= from_s + 1e-6
            seen = {round(one.t, 3): number_of(Frame.from_decoded(0, one.t, one.decoded)) for one in pictures}
            assert all(by_time[t] == number for t, number in seen.items())


def test_film_begun_amid_a_group_counts_from_its_first_key_frame(tmp_path: Path) -> None:
    whole, cut = write(tmp_path / "whole.mkv"), tmp_path / "cut.ts"
    with av.open(str(whole)) as source, av.open(str(cut), "w") as output:
        copy = output.add_stream_from_template(source.streams.video[0])
        for number, packet in enumerate(source.demux(source.streams.video[0])):
            if number >= 14 and packet.pts is not None:
                packet.stream = copy
                output.mux(packet)
    frames, _ = looks(cut)
    assert (frames[0].t, number_of(frames[0])) == (0.0, 20)
    with open_film(cut, 1.5, film_index(cut)) as film:
        assert next(iter(film.packets)).t in (pytest.approx(0.0), pytest.approx(1.0))


def test_gap_is_lost_sight_and_a_film_without_times_says_so(tmp_path: Path) -> None:
    frames, lost = looks(write(tmp_path / "gap.mp4", [*range(20), *range(70, 110)]))
    assert lost == [(2.0, "gap")]
    assert next(frame.t for frame in frames if frame.t > 2.0) == pytest.approx(7.0)
    raw = write(tmp_path / "raw.h264")
    assert film_index(raw).assumed_rate_hz is not None
    assert film_index(raw, None, 5.0).assumed_rate_hz is None
    assert looks(raw, rate_hz=5.0)[0][-1].t == pytest.approx(59 / 5)


def test_size_that_changes_is_scaled_where_its_shape_is_the_same_else_lost(tmp_path: Path) -> None:
    wide, small = (384, 128), (192, 192)
    path = tmp_path / "film.ts"
    parts = [
        write(tmp_path / f"{n}.ts", range(n * 20, n * 20 + 20), size_wh_px=size)
        for n, size in enumerate((SIZE_WH_PX, wide, small))
    ]
    path.write_bytes(b"".join(part.read_bytes() for part in parts))
    frames, lost = looks(path, size_wh_px=SIZE_WH_PX)
    assert {frame.size_wh_px for frame in frames} == {SIZE_WH_PX}
    assert sum(2.0 <= frame.t < 3.9 for frame in frames) >= 18
    assert [fault for _, fault in lost][-1] == "size"
    assert max(frame.t for frame in frames) < 4.1


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_picture_is_turned_as_the_film_says(tmp_path: Path, degrees: int) -> None:
    path = write(tmp_path / "film.mp4", range(5), prepare=lambda stream: stream.set_display_rotation(degrees))
    image = looks(path)[0][0].image
    assert image.shape[:2] == ((64, 192) if degrees == 180 else (192, 64))
    bright = image[..., 1].astype(int)
    places = {90: bright[-3:].mean(), 180: bright[:, -3:].mean(), 270: bright[:3].mean()}
    assert places[degrees] > 180


def test_film_is_chosen_by_the_calibrated_size(tmp_path: Path) -> None:
    path, sizes = tmp_path / "film.mkv", [(96, 32), (192, 64), (384, 128)]
    parts = [write(tmp_path / f"{n}.mkv", range(10), size_wh_px=size) for n, size in enumerate(sizes)]
    sources = [av.open(str(part)) for part in parts]
    with av.open(str(path), "w") as output:
        copies = [output.add_stream_from_template(source.streams.video[0]) for source in sources]
        for source, copy in zip(sources, copies, strict=True):
            for packet in source.demux(video=0):
                if packet.pts is not None:
                    packet.stream = copy
                    output.mux(packet)
            source.close()
    assert {frame.size_wh_px for frame in looks(path, size_wh_px=(192, 64))[0]} == {(192, 64)}
    assert probe(path, (96, 32)).size_wh_px == (96, 32)


@pytest.mark.parametrize(
    ("name", "reason"),
    [("cover.jpg", "is a picture"), ("notes.txt", "is text"), ("a.gif", "picture")],
)
def test_what_is_no_film_is_refused_by_its_content(tmp_path: Path, name: str, reason: str) -> None:
    path = tmp_path / name
    if name.endswith("txt"):
        path.write_text("The shift went well.\n" * 50)
    else:
        buffer = io.BytesIO()
        image = Image.fromarray(picture(3, np.random.default_rng(1)))
        image.save(buffer, format="GIF" if name.endswith("gif") else "JPEG")
        path.write_bytes(buffer.getvalue())
    with pytest.raises(UnreadableVideoError, match=reason):
        probe(path)


def test_film_is_known_by_its_content_not_by_its_name(tmp_path: Path) -> None:
    for name, form in (("film", "mp4"), ("film.dav", "mpegts"), ("film.txt", "matroska")):
        assert probe(write(tmp_path / name, range(10), form=form)).size_wh_px == SIZE_WH_PX
