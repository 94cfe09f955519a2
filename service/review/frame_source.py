"""The frames of one segment of a shift that are worth a look, whatever files they lie in."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from thirdcard.service.config.table_file import TableConfig
from thirdcard.service.review.segments import Segment
from thirdcard.vision.frames import Frame
from thirdcard.vision.plane.change_gate import ChangeGate
from thirdcard.vision.plane.keyframe_skip import FilmStretch, StillSkipper


class Film:
    """A segment's film, in its own time: 0 is its first frame's."""

    def __init__(
        self, table: TableConfig, segment: Segment, *, is_waited_for: Callable[[], bool], is_idle: Callable[[], bool]
    ) -> None:
        """Takes whether who looks still waits for something, and whether no round is under way."""
        self._segment = segment
        gate = ChangeGate(table.cameras[0].calibration, table.layout.size_mm)
        self._skipper = StillSkipper(gate, is_waited_for, is_idle)

    @property
    def decoded(self) -> int:
        """How many frames were decoded so far."""
        return self._skipper.decoded

    @property
    def passed(self) -> int:
        """How many never were, since nothing moved."""
        return self._skipper.passed

    def frames(self) -> Iterator[Frame]:
        """In order of time; raises VideoBreakError where a file breaks."""
        zero_t, last_t = self._segment.sources[0].at_t, -1.0
        for source in self._segment.sources:
            shift_s = source.at_t - zero_t - source.from_s
            for frame in self._skipper.frames(FilmStretch(source.path, source.from_s, source.to_s)):
                t = frame.t + shift_s
                if t >= 0.0 and t > last_t:
                    last_t = t
                    yield frame.at(t)
