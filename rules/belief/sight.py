"""What a log says about the cameras that watched its rounds."""

from __future__ import annotations

from dataclasses import dataclass, field

from thirdcard.rules.belief.table_reading import TableReading
from thirdcard.rules.log.events import FEW_FRAMES, CameraBack, CameraLost, CardDealt, Event, Source


@dataclass(slots=True)
class CameraSight:
    """How well the running round was seen."""

    is_seen: bool = False
    """Whether any line carries a camera's confidence; without one nothing is in doubt."""
    is_seldom_seen: bool = False
    """Whether too few frames came to judge the running round, or the time between rounds."""
    are_backs_seen: bool = False
    """Whether any card was surely seen to come face down: then backs show at this table."""
    faces: TableReading = field(default_factory=TableReading)
    """How faces were misread at this table."""
    _are_frames_few: bool = False

    def observe(self, event: Event) -> None:
        """Take the next line."""
        match event:
            case CameraLost(fault=fault) if fault == FEW_FRAMES:
                self._are_frames_few = self.is_seldom_seen = True
            case CameraBack():
                self._are_frames_few = False
            case CardDealt(face_up=False, order_unseen=False, source=Source.CAMERA):
                self.are_backs_seen = True
        self.is_seen = self.is_seen or (event.source is Source.CAMERA and event.confidence is not None)

    def begin(self) -> None:
        """Begin another round, or end the running one."""
        self.is_seldom_seen = self._are_frames_few
