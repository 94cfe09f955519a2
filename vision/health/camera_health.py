"""Watch one camera's picture for what makes it useless: frozen, too dark, glare, covered, blurred, camera moved.

Every picture is compared with the first one, for which the calibration is assumed to be right; a camera that was moved
is refitted from the print. Works on the small picture; of the full one it examines some rows and a few patches.
Brightness in grey levels, 0 to 255; distances in layout millimetres, durations in seconds of stream time.
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
from thirdcard.vision.health.print_step import PrintStep
from thirdcard.vision.health.reference_match import PrintLook, PrintMemory
from thirdcard.vision.health.sharpness import Sharpness
from thirdcard.vision.observations import CameraRefitted, PictureCleared, PictureFault, PictureFaulted

HIDDEN_SHARE = 0.55
"""Arms and cards hide a smaller share of the print than this; a covered lens hides more."""
WASHED_SHARE = 0.1
"""Share of the cloth's blocks that have become pure white. With a lower value a reflection beside the cards is a
fault; with a higher one cards lie in glare undetected. Chosen by hand."""
DARK_LEVEL = 30.0
"""If nearly nothing on the cloth is brighter than this grey level, it is too dark to see."""
DETAIL_SHARE = 0.45
"""With a smaller share of its fine detail left, a picture is too blurred to read cards."""
DETAIL_EVERY_S = 0.4
"""Interval in seconds at which detail is measured: patches of the full picture take time, and twice within CONFIRM_S
is enough to confirm a fault."""
CHECK_EVERY_S = 0.18
"""Interval in seconds at which everything but the freeze is checked."""
MOVED_MM = 2.5
"""Largest error in mm that the calibration may have anywhere. At 18 rendered tables in play, whose cameras hung still,
the careful measure never exceeded 1.1 mm; chips and cards may lie 14 mm and more outside their regions."""
HIDDEN_MM = 5.0
"""The same where most of the print is hidden: then the measure of the rest is extended over the whole cloth."""
BACK_MM = 2.0
"""A moved camera counts as back in place when the error is at most this."""
SUSPECT_MM = 1.3
"""Shift in the quick check from which the careful measure is taken: at most 1.2 mm at those tables."""
STEPPED_MM = 0.4
"""A camera that was bumped counts as moved if the calibration is surely off by more than this. At ten rendered tables,
whose cameras hung still, fits differed from the calibration by at most 0.25 mm, and stated errors of 0.1 to 0.2 mm."""
BEGIN_S = 3.0
"""Seconds after the first look in which the first picture may still be replaced: if a later one shows nothing of it,
it was not the table, since the stream was still starting."""
CONFIRM_S = 1.0
"""Seconds for which a fault must last before it is reported."""
CLEAR_S = 0.8
"""Seconds for which a picture must be good again before that is reported."""
GAP_S = 0.3
"""A fault that is absent for no longer than this counts as continuing."""
APART = frozenset({PictureFault.FROZEN, PictureFault.MOVED})
"""Faults that are reported even if another fault came before; the others all hide the table and are hard to
separate."""


@dataclass(slots=True)
class FaultRun:
    """The faults of one camera's picture over time: each is reported once it lasts, and its end once that lasts."""

    told: PictureFault | None = None
    """The fault that was reported and whose end was not."""
    is_blind: bool = False
    """Whether the present picture should not be used: it has a fault, reported or not."""
    _fault: PictureFault | None = None
    _fault_since_t: float = 0.0
    """Since when the present kind of fault has been visible."""
    _bad_since_t: float | None = None
    """Since when any fault has been visible."""
    _bad_seen_t: float = 0.0
    _good_since_t: float | None = None

    @property
    def waiting_since_t(self) -> float | None:
        """The earliest stream time about which something may still be reported; None when nothing is pending."""
        if self.told is None:
            return self._bad_since_t
        return self._good_since_t if _is_alike(self._fault, self.told) else self._fault_since_t

    def update(
        self, fault: PictureFault | None, t: float, *, since_t: float | None = None
    ) -> PictureFaulted | PictureCleared | None:
        """Take the present picture's fault and return what is new.

        Args:
            fault: What is wrong with it; None for a good picture.
            t: Its stream time.
            since_t: Since when it has been wrong, if that was detected late.
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
    """The state of one camera's picture: its faults, and its calibration while the camera is moved."""

    def __init__(self, calibration: Calibration, size_mm: tuple[float, float]) -> None:
        self._place = CameraPlace(calibration, size_mm)
        self._print = PrintMemory(block_grid(calibration, size_mm))
        self._step = PrintStep()
        self._earlier: Image | None = None
        """A picture from before the watch for which the calibration was valid."""
        self._was_moved = False
        """Whether the camera was moved between that picture and the first look."""
        self._freeze = FreezeWatch()
        self._sharpness = Sharpness()
        self._run = FaultRun()
        self._first_t: float | None = None
        self._checked_t: float | None = None
        self._faulty_t = -np.inf
        """When the picture last had a fault other than being frozen: a black picture does not change either."""
        self._detail: tuple[float, float] = (-np.inf, 1.0)
        """When the detail was last measured, and the share that was left."""

    def begin_from(self, luma: Image) -> None:
        """Set a picture, (H, W) uint8, for which the calibration was valid; the first look is compared with it."""
        self._earlier = luma

    @property
    def is_blind(self) -> bool:
        """Whether the last picture should not be used."""
        return self._run.is_blind

    @property
    def is_faulty(self) -> bool:
        """Whether a fault was reported and its end was not."""
        return self._run.told is not None

    @property
    def waiting_since_t(self) -> float | None:
        """The earliest stream time about which something may still be reported; None when nothing is pending."""
        return self._run.waiting_since_t

    def update(self, frame: Frame, small_hw3: Image) -> list[PictureFaulted | PictureCleared | CameraRefitted]:
        """Take the next look and return what is new.

        Args:
            frame: The picture.
            small_hw3: (H, W, 3) uint8, the same scaled down.
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
            since_t = self._step.since_t if fault is PictureFault.MOVED and self._step.is_confirmed else None
            told = self._run.update(fault, frame.t, since_t=since_t)
        if self._run.waiting_since_t is None and not self._run.is_blind:
            self._adopt(frame, grey)
        refitted = self._refitted(frame, fault)
        return [each for each in (told, refitted) if each is not None]

    def _refitted(self, frame: Frame, fault: PictureFault | None) -> CameraRefitted | None:
        """Refit a camera that was moved; if the fit is used, the next picture becomes the reference."""
        if self._run.told is not PictureFault.MOVED:
            if fault is not PictureFault.MOVED and self._step.since_t is None:
                self._place.stay()
            return None
        if fault is not PictureFault.MOVED:
            self._place.pause()
            return None
        told = self._place.refit(frame.luma, frame.t)
        if told is not None and told.is_used:
            self._print = PrintMemory(block_grid(told.calibration, self._place.size_mm))
            self._step.forget()
        return told

    def _adopt(self, frame: Frame, grey: Image) -> None:
        due = self._print.adopt(grey, frame.t)
        if due.any():
            self._sharpness.remember(frame.luma, due)

    def _look(self, frame: Frame, grey: Image) -> PrintLook:
        """Compare with the remembered picture; remember the first, and forget pictures from a stream's start."""
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
        """Compare the first picture with one from before; keep that one only if the camera was moved since.

        Otherwise the first picture becomes the reference, with its own light and whatever lies on the cloth.
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
        if (is_hidden or look.shift_mm >= SUSPECT_MM) and self._has_moved(grey, frame.t, is_hidden=is_hidden):
            return PictureFault.MOVED
        if is_hidden:
            return PictureFault.COVERED
        if self._has_stepped(frame, look):
            return PictureFault.MOVED
        return PictureFault.BLURRED if self._is_blurred(frame, look) else None

    def _has_moved(self, grey: Image, t: float, *, is_hidden: bool) -> bool:
        missed_mm = self._missed_mm(grey, t)
        limit_mm = HIDDEN_MM if is_hidden else MOVED_MM
        if self._run.told is PictureFault.MOVED:
            limit_mm = BACK_MM
        return missed_mm is not None and missed_mm > limit_mm

    def _has_stepped(self, frame: Frame, look: PrintLook) -> bool:
        """Whether the camera was bumped so little that only fits show it, and has not been fitted since."""
        self._step.update(look.shifts_mm, frame.t)
        if self._step.since_t is None and self._run.told is not PictureFault.MOVED:
            return False
        missed_mm = self._place.surely_missed_mm(frame.luma, frame.t)
        if missed_mm is None:
            return self._step.is_confirmed
        if missed_mm <= STEPPED_MM:
            self._step.forget()
        else:
            self._step.confirm(frame.t)
        return self._step.is_confirmed

    def _missed_mm(self, grey: Image, t: float) -> float | None:
        """Return by how many mm the calibration misses the cloth; None where that is unknown."""
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
