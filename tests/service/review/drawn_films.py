"""Small films in which something moves, drawn and encoded quickly."""

from __future__ import annotations

from pathlib import Path

import av
import numpy as np

RATE_HZ = 10
SIZE_WH_PX = (96, 64)
STILL = -1
"""The seed of a film in which nothing moves."""


def draw_film(path: Path, from_s: float, to_s: float, *, seed: int = 0, crf: int = 20, said: str | None = None) -> Path:
    """Draw what a camera saw from one time to another: a square that moves on a path given by the seed.

    Args:
        path: The file to write.
        from_s: The first second.
        to_s: The last second.
        seed: The seed of the square's path.
        crf: The coarseness of the encoding: two recorders encode separately.
        said: The container's `creation_time`.
    """
    with av.open(str(path), "w") as container:
        if said is not None:
            container.metadata["creation_time"] = said
        stream = container.add_stream("libx264", rate=RATE_HZ, options={"g": "10", "bf": "0", "crf": str(crf)})
        stream.width, stream.height, stream.pix_fmt = *SIZE_WH_PX, "yuv420p"
        for tick in range(round(from_s * RATE_HZ), round(to_s * RATE_HZ)):
            frame = av.VideoFrame.from_ndarray(_picture(tick, seed), format="gray").reformat(format="yuv420p")
            frame.pts = tick - round(from_s * RATE_HZ)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def remux(source: Path, target: Path, from_s: float = 0.0) -> Path:
    """Copy the encoded pictures into another container, from a key frame on."""
    with av.open(str(source)) as film, av.open(str(target), "w") as container:
        stream = film.streams.video[0]
        copy = container.add_stream_from_template(stream)
        assert stream.time_base is not None
        first = None
        for packet in film.demux(stream):
            if packet.pts is not None and packet.size and packet.pts * stream.time_base >= from_s - 0.001:
                first = packet.pts if first is None else first
                packet.pts -= first
                packet.dts = packet.pts
                packet.stream = copy
                container.mux(packet)
    return target


def _picture(tick: int, seed: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    width, height = SIZE_WH_PX
    picture = np.full((height, width), 60, np.uint8)
    if seed == STILL:
        return picture
    rng = np.random.default_rng(seed * 100_003 + tick // 5)
    x, y = int(rng.integers(0, width - 24)), int(rng.integers(0, height - 24))
    picture[y : y + 24, x : x + 24] = rng.integers(120, 255)
    picture[y + tick % 5 : y + tick % 5 + 4, x : x + 24] = 0
    return picture
