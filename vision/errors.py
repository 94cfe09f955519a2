"""What can go wrong between a video and an observation.

One root, one class a cause. Texts are one line and say where, what was found and what is allowed; a camera's user and
password are in none of them.
"""

from __future__ import annotations

from thirdcard.vision.addresses import public_address


class VisionError(Exception):
    """Root of all errors of this package."""


class UnreadableVideoError(VisionError):
    """A source cannot be opened as a video."""

    def __init__(self, source: str, reason: str) -> None:
        self.source = public_address(source)
        """Without user and password."""
        self.reason = reason
        super().__init__(f"{self.source}: {reason}{self._hint}")

    _hint = "; needs a video that FFmpeg reads"


class SignInRefusedError(UnreadableVideoError):
    """A camera refuses its user or password: who asks again soon may be locked out."""

    _hint = ""

    def __init__(self, source: str) -> None:
        super().__init__(source, "the camera refuses user or password")


class TransportRefusedError(UnreadableVideoError):
    """A camera does not send over the transport that it was asked for."""

    _hint = "; transport: auto tries another"


class NoFilmError(UnreadableVideoError):
    """A file is something else than a film."""


class VideoBreakError(VisionError):
    """A video that could be opened cannot be read to its end."""

    def __init__(self, source: str, reason: str, *, t: float, frames: int) -> None:
        self.source = public_address(source)
        """Without user and password."""
        super().__init__(f"{self.source}: breaks after {t:.2f} s ({frames} frames): {reason}")
        self.reason = reason
        self.t = t
        """Stream time in seconds of the last frame that was read."""
        self.frames = frames


class UnreadableImageError(VisionError):
    """A file cannot be read as a picture."""

    def __init__(self, source: str, reason: str) -> None:
        super().__init__(f"{source}: {reason}; needs a picture such as JPEG or PNG")
        self.source = source
        self.reason = reason


class ImageSizeError(VisionError):
    """A picture has another size than its calibration."""

    def __init__(self, found_wh_px: tuple[int, int], allowed_wh_px: tuple[int, int]) -> None:
        super().__init__(
            f"picture: size = {found_wh_px[0]} x {found_wh_px[1]}; "
            f"the calibration is for {allowed_wh_px[0]} x {allowed_wh_px[1]}"
        )
        self.found_wh_px = found_wh_px
        self.allowed_wh_px = allowed_wh_px


class ModelError(VisionError):
    """A model's file or its declaration is missing, altered or of another shape."""


class DetectorError(VisionError):
    """The detector could not look at a picture; not the same as seeing nothing."""


class ChipRowError(VisionError):
    """A picture does not show one chip of each kind in a row."""
