"""What a review has found so far, on the disk: a file for each segment, so that it goes on where it was stopped."""

from __future__ import annotations

import dataclasses
import json
import os
from dataclasses import dataclass
from pathlib import Path

from thirdcard.service.review.segment_watch import SegmentResult
from thirdcard.service.review.segments import Segment


@dataclass(frozen=True, slots=True)
class WorkFolder:
    """The folder of one shift's review."""

    path: Path

    @property
    def segments(self) -> Path:
        """A file for each segment that is done."""
        return self.path / "segments"

    def make(self) -> None:
        """Make what is not there yet."""
        self.segments.mkdir(parents=True, exist_ok=True)

    def done(self, segment: Segment) -> SegmentResult | None:
        """What was found in just this segment; None where it is not done, or its file was never finished."""
        try:
            text = self._file(segment).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        return SegmentResult(**json.loads(text))

    def keep(self, segment: Segment, result: SegmentResult) -> None:
        """Write what was found in a segment: whole or not at all."""
        write_whole(self._file(segment), json.dumps(dataclasses.asdict(result), ensure_ascii=False))

    def drop(self, segment: Segment) -> None:
        """Forget what was found in a segment."""
        self._file(segment).unlink(missing_ok=True)

    def _file(self, segment: Segment) -> Path:
        """Named by its bounds too: another program may have cut the shift otherwise."""
        return self.segments / f"{segment.number:05d}-{segment.core_from_t:.3f}-{segment.core_to_t:.3f}.json"


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there whole or not at all, even where the power fails."""
    part = path.with_name(f".{path.name}.part")
    with part.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
