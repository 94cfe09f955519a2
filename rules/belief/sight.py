"""What a log says about the cameras that watched its rounds."""

from __future__ import annotations

from dataclasses import dataclass, field

from thirdcard.rules.belief.back_sight import BackSight
from thirdcard.rules.belief.table_reading import TableReading
from thirdcard.rules.log.events import FEW_FRAMES, CameraBack, CameraLost, Event, Source


@dataclass(slots=True)
class CameraSight:
    """How well the running round was seen."""

    is_seen: bool = False
    """Whether any line carries a camera's confidence; without one nothing is in doubt."""
    is_seldom_seen: bool = False
    """Whether too few frames came to judge the running round, or the time between rounds."""
    backs: BackSight = field(default_factory=BackSight)
    """How surely backs are seen at this table."""
    faces: TableReading = field(default_factory=TableReading)
    """How faces were misread at this table."""
    _are_frames_few: bool = False

    def observe(self, event: Event, *, comes_face_down: bool) -> None:
        """Take the next line; `comes_face_down`: whether the style deals the round's next card face down."""
        match event:
            case CameraLost(fault=fault) if fault == FEW_FRAMES:
                self._are_frames_few = self.is_seldom_seen = True
            case CameraBack():
                self._are_frames_few = False
        self.backs.observe(event, comes_face_down=comes_face_down)
        self.is_seen = self.is_seen or (event.source is Source.CAMERA and event.confidence is not None)

    def begin(self) -> None:
        """Begin another round, or end the running one."""
        self.is_seldom_seen = self._are_frames_few
        self.backs.end_round()
