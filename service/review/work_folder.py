"""The results of a review so far on disk, a file for each segment, so that it can be resumed."""

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
        """The folder with a file for each finished segment."""
        return self.path / "segments"

    def make(self) -> None:
        """Create missing folders."""
        self.segments.mkdir(parents=True, exist_ok=True)

    def done(self, segment: Segment) -> SegmentResult | None:
        """The stored result of exactly this segment; None where it is not finished."""
        try:
            text = self._file(segment).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        return SegmentResult(**json.loads(text))

    def keep(self, segment: Segment, result: SegmentResult) -> None:
        """Store the result of a segment atomically."""
        write_whole(self._file(segment), json.dumps(dataclasses.asdict(result), ensure_ascii=False))

    def drop(self, segment: Segment) -> None:
        """Delete the result of a segment."""
        self._file(segment).unlink(missing_ok=True)

    def _file(self, segment: Segment) -> Path:
        """The file is also named by the segment's bounds, since another version may cut the shift differently."""
        return self.segments / f"{segment.number:05d}-{segment.core_from_t:.3f}-{segment.core_to_t:.3f}.json"


def write_whole(path: Path, text: str) -> None:
    """Write a file atomically, even if the power fails."""
    part = path.with_name(f".{path.name}.part")
    with part.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
