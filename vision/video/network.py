"""Open a network camera's stream over the requested transport, and report why it cannot be opened.

FFmpeg signs in by itself, with a digest if the camera requires one, and sends the password once per attempt.
"""

from __future__ import annotations

import errno
import socket
import threading
from collections.abc import Iterable
from contextlib import AbstractContextManager
from urllib.parse import urlsplit

import av
from av.container import InputContainer

from thirdcard.vision.addresses import public_text
from thirdcard.vision.errors import (
    SignInRefusedError,
    TransportRefusedError,
    UnknownHostError,
    UnknownSchemeError,
    UnreadableVideoError,
)

OPEN_TIMEOUT_S = 10.0
"""Seconds after which a camera that does not answer is given up and tried again. A shorter time gives up slow ones,
a longer one waits for dead ones. Chosen by hand."""
READ_TIMEOUT_S = 10.0
"""Seconds after which a stream that brings nothing is closed and opened again; the table counts as lost after 4 s."""
TRANSPORTS = ("tcp", "udp", "auto")
"""`auto`: TCP, or UDP if the camera refuses TCP."""
_UDP_BUFFER_BYTES = 4 << 20
"""Receive buffer: a key frame arrives all at once; the system may allow less (`net.core.rmem_max`)."""
_LOSS = "RTP: missed"
_REFUSED_SIGN_IN = (av.error.HTTPUnauthorizedError, av.error.HTTPForbiddenError)


def open_network(source: str, *, transport: str = "tcp") -> InputContainer:
    """Open the stream's container.

    Args:
        source: Its address, with user and password if the camera requires them.
        transport: One of TRANSPORTS; concerns RTSP only.

    Raises:
        SignInRefusedError: The camera refuses user or password.
        TransportRefusedError: It does not stream over this transport.
        UnreadableVideoError: It cannot be opened for another reason.
    """
    options = rtsp_options(transport) if source.startswith("rtsp") else {}
    try:
        return av.open(source, options=options, timeout=(OPEN_TIMEOUT_S, READ_TIMEOUT_S))
    except _REFUSED_SIGN_IN as error:
        raise SignInRefusedError(source) from without_address(error)
    except (av.FFmpegError, OSError, ValueError) as error:
        if getattr(error, "errno", None) == errno.EPROTONOSUPPORT:
            raise TransportRefusedError(source, f"is not sent over {transport}") from without_address(error)
        raise _unreadable(source, error) from without_address(error)


def _unreadable(source: str, error: Exception) -> UnreadableVideoError:
    """Return the error for a source that cannot be opened, with the cause where FFmpeg does not name it."""
    if "://" in source and isinstance(error, av.error.ProtocolNotFoundError):
        return UnknownSchemeError(source)
    if "://" in source and getattr(error, "errno", None) == errno.EIO and _is_host_unknown(source):
        return UnknownHostError(source)
    return UnreadableVideoError(source, reason_of(error))


def _is_host_unknown(source: str) -> bool:
    try:
        host = urlsplit(source).hostname
        if host:
            socket.getaddrinfo(host, None)
    except (OSError, ValueError):
        return True
    return False


def rtsp_options(transport: str) -> dict[str, str]:
    """Return FFmpeg's options for a transport."""
    if transport == "auto":
        return {"rtsp_transport": "udp+tcp", "rtsp_flags": "prefer_tcp"}
    return {"rtsp_transport": transport, "buffer_size": str(_UDP_BUFFER_BYTES)}


def is_lossy_stream(source: str, transport: str) -> bool:
    """Whether packets of the stream may be lost while the connection stays open."""
    return source.startswith("rtsp") and transport != "tcp"


class LossEar(AbstractContextManager["LossEar"]):
    """Detects from FFmpeg's log that packets of a network stream were lost.

    FFmpeg reports losses only there: from what is left decoders make a picture without an error, for H.265 always.
    While a listener is open, FFmpeg's messages are passed on by whichever thread writes them, and that thread waits for
    the interpreter's lock. So decoders must not use frame threads meanwhile: one would be waited for with that lock
    held.
    """

    _open = 0
    _lock = threading.Lock()

    def __enter__(self) -> LossEar:
        with LossEar._lock:
            LossEar._open += 1
            av.logging.set_skip_repeated(False)
            av.logging.set_level(av.logging.WARNING)
        return self

    def __exit__(self, *_: object) -> None:
        with LossEar._lock:
            LossEar._open -= 1
            if not LossEar._open:
                av.logging.set_level(None)

    @staticmethod
    def has_heard(words: Iterable[tuple[int, str, str]]) -> bool:
        """Whether captured messages of FFmpeg report a loss."""
        return any(_LOSS in message for _, _, message in words)


def reason_of(error: Exception) -> str:
    """Return why something failed, in one line without any address."""
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return public_text(" ".join(str(text).split()))


def without_address(error: Exception) -> Exception:
    """Return the same exception without the address that FFmpeg puts into it, which a traceback would show."""
    error.args = error.args[:2]
    return error
