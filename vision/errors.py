"""The errors of this package: one root, one class for each cause.

Texts are one line and say where, what was found and what is allowed. None contains a camera's user or password.
"""

from __future__ import annotations

from thirdcard.vision.addresses import public_address

_FILE_HINT = "; needs a video that FFmpeg reads"
_NETWORK_HINT = "; is the camera on, are address and port right, and does this machine reach it?"


class VisionError(Exception):
    """Root of all errors of this package."""


class UnreadableVideoError(VisionError):
    """A source cannot be opened as a video."""

    def __init__(self, source: str, reason: str) -> None:
        self.source = public_address(source)
        """The address, without user and password."""
        self.reason = reason
        super().__init__(f"{self.source}: {reason}{self._hint_for(source)}")

    _hint: str | None = None
    """What to do, where it is the same for files and network addresses."""

    def _hint_for(self, source: str) -> str:
        if self._hint is not None:
            return self._hint
        return _FILE_HINT if "://" not in source or source.startswith("file:") else _NETWORK_HINT


class SignInRefusedError(UnreadableVideoError):
    """A camera refuses the user or password; further attempts may lock the account."""

    _hint = ""

    def __init__(self, source: str) -> None:
        super().__init__(source, "the camera refuses user or password")


class TransportRefusedError(UnreadableVideoError):
    """A camera does not stream over the requested transport."""

    _hint = "; transport: auto tries another"


class UnknownHostError(UnreadableVideoError):
    """A network address names a host that this machine does not find."""

    _hint = "; is its name spelt right, and does this machine's network know it? Its IP address works too"

    def __init__(self, source: str) -> None:
        super().__init__(source, "unknown host")


class UnknownSchemeError(UnreadableVideoError):
    """A network address begins with a scheme that FFmpeg does not know."""

    _hint = "; a camera's address begins with rtsp://, or with another scheme that FFmpeg reads"

    def __init__(self, source: str) -> None:
        super().__init__(source, f"unknown scheme {source.partition('://')[0]}")


class NoFilmError(UnreadableVideoError):
    """A file is not a video."""

    _hint = _FILE_HINT


class VideoBreakError(VisionError):
    """A video that was opened cannot be read to its end."""

    def __init__(self, source: str, reason: str, *, t: float, frames: int) -> None:
        self.source = public_address(source)
        """The address, without user and password."""
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
    """A model's file or its declaration is missing, was altered or has another shape."""


class DetectorError(VisionError):
    """The detector failed on a picture; this is not the same as detecting nothing."""


class ChipRowError(VisionError):
    """A picture does not show one chip of each kind in a row."""
