"""Make a whole shift from one rendered recording: its rounds repeated, with still stretches between them.

The recording is cut at key frames between rounds, where the cloth is empty. After each round the table is still for as
long as real tables are: the picture at the cut with camera noise, encoded like the recording, whose groups of pictures
are repeated. The play itself is not encoded again. Each pass over the recording is a new shoe and another dealer.
`python -m thirdcard.datasets.script.shift RECORDING --out DIR --hours 8`.
"""

from __future__ import annotations

import argparse
import bisect
import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import av
import numpy as np
from av.container import InputContainer, OutputContainer
from av.packet import Packet
from av.video.codeccontext import VideoCodecContext
from av.video.stream import VideoStream
from numpy.typing import NDArray

from thirdcard.datasets.script.errors import RecordingWriteError
from thirdcard.datasets.script.recording import VIDEO_NAME, write_lines
from thirdcard.datasets.script.video import write_video

LOOP_S = 12.0
"""Seconds after which a still stretch repeats itself."""
SHOE_CHANGE_S = 300.0
CLEAR_S = 0.9
"""Seconds after a round is closed until hands are gone."""
BEFORE_S = 0.3
COPIED = ("table.yaml", "layout.yaml", "chips.yaml", "overhead.yaml")
FILE_S = 1800.0
"""Seconds after which the recorder begins a new file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceEncoding:
    """How the recording was encoded."""

    fps: int
    mbit_s: float
    key_frame_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A round's packets, and the loop of the still table after it."""

    from_t: float
    to_t: float
    packets: Sequence[Packet[VideoStream]]
    still: Sequence[Packet[VideoStream]]


@dataclass(slots=True, kw_only=True)
class ShiftWriter:
    """Writes packets one after another into files as a recorder does, named by their beginning."""

    folder: Path
    name: str
    began_at: datetime
    template: VideoStream
    fps: int
    frames: int = 0
    _file_frames: int = 0
    _stack: ExitStack = field(default_factory=ExitStack)
    _output: OutputContainer | None = None

    @property
    def t(self) -> float:
        """How long the shift is so far, in seconds."""
        return self.frames / self.fps

    def write(self, packets: Sequence[Packet[VideoStream]]) -> None:
        """Add packets, one for each frame; the first is a key frame."""
        for packet in packets:
            if packet.is_keyframe and (self._output is None or self._file_frames >= FILE_S * self.fps):
                self._begin_file()
            self._mux(packet)

    def close(self) -> None:
        """Close the last file."""
        self._stack.close()
        self._output = None

    def _begin_file(self) -> None:
        self.close()
        at = self.began_at + timedelta(seconds=self.t)
        path = self.folder / f"{self.name}_{at:%Y-%m-%d_%H-%M-%S}.{at.microsecond // 1000:03d}.mp4"
        self._output = self._stack.enter_context(av.open(str(path), "w"))
        self._output.add_stream_from_template(self.template)
        self._file_frames = 0

    def _mux(self, packet: Packet[VideoStream]) -> None:
        assert self._output is not None
        copy = av.Packet(bytes(packet))
        copy.is_keyframe = packet.is_keyframe
        copy.stream = self._output.streams.video[0]
        copy.time_base = Fraction(1, self.fps)
        copy.pts = copy.dts = self._file_frames
        copy.duration = 1
        self._output.mux(copy)
        self._file_frames += 1
        self.frames += 1


def make_shift(recording: Path, out: Path, *, hours: float, began_at: datetime, seed: int) -> int:
    """Write the shift's folder; return how many rounds it has.

    Args:
        recording: A rendered recording in which nothing moves between rounds.
        out: The folder: `table.yaml` with the files that it names, videos, `signals.jsonl`, `truth.jsonl` and
            `alerts.jsonl`.
        hours: Least duration of the shift; it ends with a round.
        began_at: When its first frame was filmed.
        seed: Determines the length of each pause.

    Raises:
        RecordingWriteError: The recording cannot be cut.
    """
    out.mkdir(parents=True, exist_ok=True)
    for name in COPIED:
        shutil.copyfile(recording / name, out / name)
    rng, logs = np.random.default_rng(seed), _Logs(recording)
    with av.open(str(recording / VIDEO_NAME)) as container:
        stream = container.streams.video[0]
        encoding = _encoding_of(stream)
        pieces = _pieces(recording, stream, encoding, rng)
        writer = ShiftWriter(folder=out, name=out.name, began_at=began_at, template=stream, fps=encoding.fps)
        rounds = shoes = 0
        while writer.t < hours * 3600:
            logs.begin_shoe(writer.t, shoes)
            for piece in pieces:
                if writer.t >= hours * 3600:
                    break
                logs.play(piece, writer.t)
                writer.write(piece.packets)
                _rest(writer, piece, _pause_s(rng))
                rounds += 1
            _rest(writer, pieces[-1], SHOE_CHANGE_S)
            shoes += 1
        writer.close()
    logs.write(out, began_at)
    return rounds


def _pause_s(rng: np.random.Generator) -> float:
    """Draw the seconds between two rounds: about a minute, sometimes much longer."""
    return float(np.clip(rng.lognormal(np.log(52.0), 0.55), 12.0, 400.0))


def _rest(writer: ShiftWriter, piece: Piece, seconds: float) -> None:
    for _ in range(max(1, round(seconds / LOOP_S))):
        writer.write(piece.still)


class _Logs:
    """The lines of a recording's logs, to be written again at other times."""

    def __init__(self, recording: Path) -> None:
        self._sources = {name: _lines(recording / f"{name}.jsonl") for name in ("signals", "truth", "alerts")}
        self._told: dict[str, list[dict[str, object]]] = {name: [] for name in self._sources}
        self._played = 0

    def begin_shoe(self, t: float, number: int) -> None:
        """Log a new shoe and another dealer."""
        for name in ("signals", "truth"):
            shoe = {"t": round(t, 3), "type": "shoe_opened", "source": "signal"}
            dealer = {"t": round(t, 3), "type": "dealer_changed", "dealer": f"D{number % 5 + 1}", "source": "signal"}
            self._told[name] += [shoe, dealer]

    def play(self, piece: Piece, t: float) -> None:
        """Log the lines of a piece that is shown at `t`."""
        self._played += 1
        for name, lines in self._sources.items():
            for line in lines:
                if piece.from_t <= float(str(line["t"])) < piece.to_t:
                    self._told[name].append(self._moved(line, t - piece.from_t))

    def write(self, folder: Path, began_at: datetime) -> None:
        """Write all logs; signals with their wall-clock time."""
        for name, lines in self._told.items():
            if name == "signals":
                lines = [{**line, "at": _moment(began_at, line)} for line in lines]
            write_lines(folder / f"{name}.jsonl", lines)

    def _moved(self, line: Mapping[str, object], shift_s: float) -> dict[str, object]:
        moved = {**line, "t": round(float(str(line["t"])) + shift_s, 3)}
        for key in ("card_id", "together_with"):
            if moved.get(key):
                moved[key] = f"{self._played}-{moved[key]}"
        if "round" in moved:
            moved["round"] = self._played
        return moved


def _moment(began_at: datetime, line: Mapping[str, object]) -> str:
    at = began_at + timedelta(seconds=float(str(line["t"])))
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _encoding_of(stream: VideoStream) -> SourceEncoding:
    rate = stream.average_rate
    assert rate is not None
    return SourceEncoding(fps=round(rate), mbit_s=(stream.bit_rate or 2_000_000) / 1e6, key_frame_s=2.0)


def _pieces(recording: Path, stream: VideoStream, encoding: SourceEncoding, rng: np.random.Generator) -> list[Piece]:
    container = stream.container
    assert isinstance(container, InputContainer)
    packets = [packet for packet in container.demux(stream) if packet.pts is not None and packet.size]
    keys = [index for index, packet in enumerate(packets) if packet.is_keyframe]
    cuts = [*_cuts(_lines(recording / "truth.jsonl"), keys, encoding.fps), len(packets)]
    pieces, first = [], 0
    for cut in cuts:
        # the last group of the video is no pause that could be cut: its last key frame shows the empty cloth as well
        key = cut if cut < len(packets) else keys[-1]
        still = list(_still(packets[key], stream, encoding, rng))
        pieces.append(
            Piece(from_t=first / encoding.fps, to_t=cut / encoding.fps, packets=packets[first:cut], still=still)
        )
        first = cut
    return pieces


def _cuts(truth: Sequence[Mapping[str, object]], keys: Sequence[int], fps: int) -> Iterator[int]:
    """Yield the key frames between rounds at which nothing moves."""
    for line, following in pairwise(truth):
        if line["type"] != "round_closed":
            continue
        from_t, to_t = float(str(line["t"])) + CLEAR_S, float(str(following["t"])) - BEFORE_S
        place = bisect.bisect_left(keys, from_t * fps)
        if place == len(keys) or keys[place] > to_t * fps:
            raise RecordingWriteError(f"no key frame between {from_t:.1f} and {to_t:.1f} s; needs longer pauses")
        yield keys[place]


def _still(
    key: Packet[VideoStream], stream: VideoStream, encoding: SourceEncoding, rng: np.random.Generator
) -> Iterator[Packet[VideoStream]]:
    """Yield the picture of a key frame as a camera shows it for a while, with noise."""
    context = av.CodecContext.create(stream.codec_context.name, "r")
    assert isinstance(context, VideoCodecContext)
    context.extradata = stream.codec_context.extradata
    shown = [*context.decode(key), *context.decode(None)][0]
    image = np.asarray(shown.to_ndarray(format="bgr24"), np.int16)
    count = round(LOOP_S * encoding.fps)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / VIDEO_NAME
        write_video(path, encoding, (_noisy(image, rng) for _ in range(count)), (shown.width, shown.height))
        with av.open(str(path)) as container:
            still = container.streams.video[0]
            if still.codec_context.extradata != stream.codec_context.extradata:
                raise RecordingWriteError(f"{path.name}: was encoded with other settings; make the recording anew")
            yield from (packet for packet in container.demux(still) if packet.pts is not None and packet.size)


def _noisy(image: NDArray[np.int16], rng: np.random.Generator) -> NDArray[np.uint8]:
    """Return the picture with fresh noise of about two levels, the same in all channels."""
    height, width = image.shape[:2]
    noise = rng.integers(-3, 4, size=(height, width, 1), dtype=np.int16)
    return np.asarray(np.clip(image + noise, 0, 255), np.uint8)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recording", type=Path)
    parser.add_argument("--out", type=Path, required=True, help="the shift's folder; its name begins the files' names")
    parser.add_argument("--hours", type=float, default=8.0)
    parser.add_argument("--begins", default="2026-05-04T10:00:00+00:00", help="when the first frame was filmed")
    parser.add_argument("--seed", type=int, default=1, help="how long each pause is follows from it")
    given = parser.parse_args()
    began_at = datetime.fromisoformat(given.begins).astimezone(UTC)
    rounds = make_shift(given.recording, given.out, hours=given.hours, began_at=began_at, seed=given.seed)
    print(f"{given.out}: {rounds} rounds")


if __name__ == "__main__":
    main()
