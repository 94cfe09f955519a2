"""Packets of a network stream that are lost on their way: FFmpeg says so in its log alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import av
import pytest
from av.container import InputContainer
from av.packet import Packet

from tests.vision.video.films import GROUP, write
from thirdcard.vision.frames import SightLost
from thirdcard.vision.video.network import LossEar, is_lossy_stream
from thirdcard.vision.video.packets import PacketReader
from thirdcard.vision.video.sound_frames import SoundFrames


class Lossy:
    """A container that says that parts were lost before some of its packets, as FFmpeg does."""

    def __init__(self, container: InputContainer, before: set[int]) -> None:
        self._container, self._before = container, before
        self.format = container.format

    def demux(self, stream: av.VideoStream) -> Iterator[Packet[Any]]:
        for number, packet in enumerate(self._container.demux(stream)):
            if number in self._before:
                av.logging.log(av.logging.WARNING, "rtsp", "RTP: missed 1 packets\n")
            yield packet


def shown(path: Path, *, losses: set[int], was_loss_at_opening: bool = False) -> set[int]:
    """The numbers of the frames that are shown as sound."""
    with av.open(str(path)) as container, LossEar():
        stream = container.streams.video[0]
        stream.codec_context.thread_count = 1
        reader = PacketReader("rtsp://camera", cast("InputContainer", Lossy(container, losses)), stream)
        reader.is_live, reader.is_begun_unsound = True, was_loss_at_opening
        sound = SoundFrames(float(stream.time_base or 1))
        items = [item for each in reader for item in sound.take(each, stream.decode)]
    return {round(item.t * 10) for item in items if not isinstance(item, SightLost)}


@pytest.mark.parametrize("lost", [GROUP + 3, 2 * GROUP - 1, 2 * GROUP])
def test_nothing_is_shown_from_a_loss_to_the_next_key_frame_that_came_whole(tmp_path: Path, lost: int) -> None:
    """A packet is given once the next one begins: what was heard may be of either."""
    everything = shown(write(tmp_path / "film.ts"), losses=set())
    seen = shown(tmp_path / "film.ts", losses={lost})
    back = (lost + 1) // GROUP * GROUP + GROUP
    assert everything - seen == set(range(lost, back))


def test_group_that_a_loss_at_the_opening_may_have_hit_is_not_shown(tmp_path: Path) -> None:
    seen = shown(write(tmp_path / "film.ts"), losses=set(), was_loss_at_opening=True)
    assert min(seen) == GROUP


def test_ffmpeg_is_silent_again_once_no_ear_is_open() -> None:
    with LossEar(), LossEar():
        pass
    assert av.logging.get_level() is None


@pytest.mark.parametrize(
    ("source", "transport", "may"),
    [
        ("rtsp://a/b", "udp", True),
        ("rtsp://a/b", "auto", True),
        ("rtsp://a/b", "tcp", False),
        ("film.mp4", "auto", False),
    ],
)
def test_streams_that_is_lossy_stream(source: str, transport: str, *, may: bool) -> None:
    assert is_lossy_stream(source, transport) is may
