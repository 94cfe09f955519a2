"""Watch one camera's picture for what makes it useless: frozen, too dark, glare, covered, blurred, camera moved.

Every picture is compared with the first one, for which the calibration is assumed to be right; a camera that was
moved is fitted anew from the print. Works on the small picture; of the full one it looks at some rows and a few
patches. Brightness in grey levels, 0 to 255; distances in layout millimetres, durations in seconds of stream time.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from thirdcard.calibration.camera import Calibration
from thirdcard.vision.frames import Frame, Image
from thirdcard.vision.health.camera_place import CameraPlace
from thirdcard.vision.health.freeze import FreezeWatch
from thirdcard.vision.health.print_blocks import block_grid
from thirdcard.vision.health.reference_match import PrintLook, PrintMemory
from thirdcard.vision.health.sharpness import Sharpness
from thirdcard.vision.observations import CameraRefitted, PictureCleared, PictureFault, PictureFaulted

HIDDEN_SHARE = 0.55
"""Arms and cards hide less of the print than this; a covered lens hides more."""
WASHED_SHARE = 0.1
"""Share of the cloth's blocks that show nothing but white, and did not before. Lower, a reflection beside the cards is
a fault; higher, cards lie in glare unnoticed. Chosen by hand."""
DARK_LEVEL = 30.0
"""Where nearly nothing on the cloth is brighter it is too dark to see."""
DETAIL_SHARE = 0.45
"""With less than this part of the fine detail no card can be read."""
DETAIL_EVERY_S = 0.4
"""Patches of the full picture take time; twice within CONFIRM_S is enough to confirm a fault."""
CHECK_EVERY_S = 0.18
"""How often all but the freeze is checked."""
MOVED_MM = 5.0
"""By how much the calibration may miss the cloth anywhere: less than the 14 mm and more by which chips and cards may
lie outside their regions. Chosen by hand."""
BACK_MM = 4.0
"""A moved camera is said to be back when the layout fits to this."""
SUSPECT_MM = 2.6
"""The quick measure of a shift, from which the careful one is asked."""
BEGIN_S = 3.0
"""A picture that changes so early, and is found nowhere in the next, was no table: the stream was only coming up."""
CONFIRM_S = 1.0
"""A fault that lasts so long is reported."""
CLEAR_S = 0.8
"""So long a picture must be good again before that is reported."""
GAP_S = 0.3
"""A fault that seems gone for no longer than this goes on."""
APART = frozenset({PictureFault.FROZEN, PictureFault.MOVED})
"""Faults that are reported even where another went before; the others all hide the table, and run into each other."""


@dataclass(slots=True)
class FaultRun:
    """The faults of one camera's picture over time: each is reported once it lasts, and its end once that lasts."""

    told: PictureFault | None = None
    """The fault that was reported and whose end was not."""
    is_blind: bool = False
    """Whether the present picture should not be looked at: it has a fault, told or not."""
    _fault: PictureFault | None = None
    _fault_since_t: float = 0.0
    """Since when the present kind of fault shows."""
    _bad_since_t: float | None = None
    """Since when any fault shows."""
    _bad_seen_t: float = 0.0
    _good_since_t: float | None = None

    @property
    def waiting_since_t(self) -> float | None:
        """The earliest moment of which something may still be reported."""
        if self.told is None:
            return self._bad_since_t
        return self._good_since_t if _is_alike(self._fault, self.told) else self._fault_since_t

    def update(
        self, fault: PictureFault | None, t: float, *, since_t: float | None = None
    ) -> PictureFaulted | PictureCleared | None:
        """Take in what the present picture shows; says what is new.

        Args:
            fault: What is wrong with it; None for a good picture.
            t: Its stream time.
            since_t: Since when that is wrong, where that was noticed late.
        """
        self.is_blind = fault is not None or self.told is not None
        if fault is None:
            return self._take_good(t)
        return self._take_bad(fault, t, t if since_t is None else since_t)

    def _take_bad(self, fault: PictureFault, t: float, since_t: float) -> PictureFaulted | None:
        self._bad_seen_t, self._good_since_t = t, None
        if self._bad_since_t is None:
            self._bad_since_t = since_t
            self._fault, self._fault_since_t = fault, since_t
        elif not _is_alike(fault, self._fault):
            self._fault, self._fault_since_t = fault, max(since_t, self._bad_since_t)
        begun_t = self._bad_since_t if self.told is None else self._fault_since_t
        if _is_alike(fault, self.told) or t - begun_t < CONFIRM_S:
            return None
        self.told = fault
        return PictureFaulted(t=begun_t, fault=fault)

    def _take_good(self, t: float) -> PictureCleared | None:
        if self._good_since_t is None:
            self._good_since_t = t
        if self.told is None:
            if t - self._bad_seen_t > GAP_S:
                self._bad_since_t = None
            return None
        if t - self._good_since_t < CLEAR_S:
            return None
        self.told, self._bad_since_t, self.is_blind = None, None, False
        return PictureCleared(t=self._good_since_t)


class CameraHealth:
    """The state of one camera's picture."""

    def __init__(self, calibration: Calibration, size_mm: tuple[float, float]) -> None:
        self._place = CameraPlace(calibration, size_mm)
        self._print = PrintMemory(block_grid(calibration, size_mm))
        self._earlier: Image | None = None
        """A picture of before the watch for which the calibration held."""
        self._was_moved = False
        """Whether the camera was moved between that and the first look."""
        self._freeze = FreezeWatch()
        self._sharpness = Sharpness()
        self._run = FaultRun()
        self._first_t: float | None = None
        self._checked_t: float | None = None
        self._faulty_t = -np.inf
        """When the picture last had another fault than being frozen: a black picture does not change either."""
        self._detail: tuple[float, float] = (-np.inf, 1.0)
        """When the detail was last measured, and what share was left."""

    def begin_from(self, luma: Image) -> None:
        """The calibration held for this picture, (H, W) uint8, taken before: whether it still does is to be seen."""
        self._earlier = luma

    @property
    def is_blind(self) -> bool:
        """Whether the last picture should not be looked at."""
        return self._run.is_blind

    @property
    def is_faulty(self) -> bool:
        """Whether a fault was reported and its end was not."""
        return self._run.told is not None

    @property
    def waiting_since_t(self) -> float | None:
        """The earliest moment of which something may still be reported."""
        return self._run.waiting_since_t

    def update(self, frame: Frame, small_hw3: Image) -> list[PictureFaulted | PictureCleared | CameraRefitted]:
        """Take the next look in and say what is new.

        Args:
            frame: The picture.
            small_hw3: (H, W, 3) uint8, the same made small.
        """
        frozen_since_t = self._freeze.update(frame.luma, frame.t)
        if self._checked_t is not None and frame.t - self._checked_t < CHECK_EVERY_S:
            return []
        self._checked_t = frame.t
        grey = np.asarray(cv2.cvtColor(small_hw3, cv2.COLOR_BGR2GRAY), np.uint8)
        fault = self._fault(frame, grey, self._look(frame, grey))
        if fault is not None:
            self._faulty_t = frame.t
        if fault is None and frozen_since_t is not None:
            told = self._run.update(PictureFault.FROZEN, frame.t, since_t=max(frozen_since_t, self._faulty_t))
        else:
            told = self._run.update(fault, frame.t)
        if self._run.waiting_since_t is None and not self._run.is_blind:
            self._adopt(frame, grey)
        refitted = self._refitted(frame, fault)
        return [each for each in (told, refitted) if each is not None]

    def _refitted(self, frame: Frame, fault: PictureFault | None) -> CameraRefitted | None:
        """The fit of a camera that was moved; where it holds all is compared with the next picture."""
        if self._run.told is not PictureFault.MOVED:
            self._place.stay()
            return None
        if fault is not PictureFault.MOVED:
            self._place.pause()
            return None
        told = self._place.refit(frame.luma, frame.t)
        if told is not None and told.is_used:
            self._print = PrintMemory(block_grid(told.calibration, self._place.size_mm))
        return told

    def _adopt(self, frame: Frame, grey: Image) -> None:
        due = self._print.adopt(grey, frame.t)
        if due.any():
            self._sharpness.remember(frame.luma, due)

    def _look(self, frame: Frame, grey: Image) -> PrintLook:
        """Compare with the remembered picture; the first is remembered, and a stream's beginning forgotten."""
        if self._first_t is None:
            self._first_t = frame.t
        if self._earlier is not None:
            self._begin(self._earlier, grey, frame.t)
        is_first = self._print.small is None
        look = self._print.look(grey)
        is_begun = self._was_moved or frame.t - self._first_t >= BEGIN_S
        if look.hidden_share >= HIDDEN_SHARE and not is_begun and self._is_other(grey, frame.t):
            self._print.forget()
            is_first, look = True, self._print.look(grey)
        if is_first:
            self._sharpness.remember(frame.luma, self._print.has_print)
            self._place.remember(frame.luma)
        return look

    def _is_other(self, grey: Image, t: float) -> bool:
        """Whether the remembered picture shows nothing of this one, not even elsewhere."""
        return self._missed_mm(grey, t) is None

    def _begin(self, earlier: Image, grey: Image, t: float) -> None:
        """Hold the first picture against one from before; where the camera was not moved since, that is forgotten.

        Other light, and what lies on the cloth, are as they are now.
        """
        self._earlier = None
        self._print.look(np.asarray(cv2.resize(earlier, grey.shape[::-1], interpolation=cv2.INTER_AREA), np.uint8))
        self._place.remember(earlier)
        self._was_moved = (self._missed_mm(grey, t) or 0.0) > MOVED_MM
        if self._was_moved:
            self._sharpness.remember(earlier, self._print.has_print)
        else:
            self._print.forget()

    def _fault(self, frame: Frame, grey: Image, look: PrintLook) -> PictureFault | None:
        if look.brightest < DARK_LEVEL:
            return PictureFault.DARK
        if look.washed_share >= WASHED_SHARE:
            return PictureFault.WASHED_OUT
        is_hidden = look.hidden_share >= HIDDEN_SHARE
        if is_hidden and self._run.told is PictureFault.COVERED:
            return PictureFault.COVERED
        if (is_hidden or look.shift_mm >= SUSPECT_MM) and self._has_moved(grey, frame.t):
            return PictureFault.MOVED
        if is_hidden:
            return PictureFault.COVERED
        return PictureFault.BLURRED if self._is_blurred(frame, look) else None

    def _has_moved(self, grey: Image, t: float) -> bool:
        missed_mm = self._missed_mm(grey, t)
        limit_mm = BACK_MM if self._run.told is PictureFault.MOVED else MOVED_MM
        return missed_mm is not None and missed_mm > limit_mm

    def _missed_mm(self, grey: Image, t: float) -> float | None:
        """By how much the calibration misses the cloth; None where that is unknown."""
        then = self._print.small
        return None if then is None else self._place.missed_mm(then, grey, self._print.has_print, t)

    def _is_blurred(self, frame: Frame, look: PrintLook) -> bool:
        if frame.t - self._detail[0] >= DETAIL_EVERY_S:
            self._detail = (frame.t, self._sharpness.share(frame.luma, look.seen))
        return self._detail[1] < DETAIL_SHARE


def _is_alike(one: PictureFault | None, other: PictureFault | None) -> bool:
    if one is None or other is None:
        return False
    return one is other or not (APART & {one, other})
