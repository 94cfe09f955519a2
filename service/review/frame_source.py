"""The frames of a shift's segment that are worth a look, across all its files, and the gaps."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from thirdcard.service.config.table_file import TableConfig
from thirdcard.service.review.segments import FilmSource, Segment
from thirdcard.vision.errors import UnreadableVideoError, VideoBreakError
from thirdcard.vision.frames import Frame, SightFault, SightLost
from thirdcard.vision.plane.change_gate import ChangeGate
from thirdcard.vision.plane.keyframe_skip import FilmStretch, StillSkipper


class Film:
    """A segment's film, in its own time: 0 is its first frame's."""

    def __init__(
        self, table: TableConfig, segment: Segment, *, is_waited_for: Callable[[], bool], is_idle: Callable[[], bool]
    ) -> None:
        """`is_waited_for`: whether the watch still waits for something; `is_idle`: whether no round is running."""
        self._segment = segment
        calibration = table.cameras[0].calibration
        self._size = calibration.image_size_wh_px
        self._skipper = StillSkipper(ChangeGate(calibration, table.layout.size_mm), is_waited_for, is_idle)
        self.faults: list[str] = []
        """Why files could not be read to their ends."""

    @property
    def decoded(self) -> int:
        """The number of frames decoded so far."""
        return self._skipper.decoded

    @property
    def passed(self) -> int:
        """The number of frames that were skipped undecoded, since nothing moved."""
        return self._skipper.passed

    def looks(self) -> Iterator[Frame | SightLost]:
        """The frames in order of time. A broken file loses what follows the break, not the files after it."""
        zero_t, last_t = self._segment.sources[0].at_t, -1.0
        for source in self._segment.sources:
            shift_s = source.at_t - zero_t - source.from_s
            try:
                for item in self._skipper.looks(self._stretch(source)):
                    t = item.t + shift_s
                    if isinstance(item, SightLost):
                        yield SightLost(max(t, last_t, 0.0), item.fault)
                    elif t >= 0.0 and t > last_t:
                        last_t = t
                        yield item.at(t)
            except (VideoBreakError, UnreadableVideoError) as error:
                self.faults.append(str(error))
                yield SightLost(max(last_t, source.at_t - zero_t), SightFault.DAMAGED)

    def _stretch(self, source: FilmSource) -> FilmStretch:
        return FilmStretch(source.path, source.from_s, source.to_s, source.index, self._size)
