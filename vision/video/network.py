"""Open a network camera's stream over the transport that it is asked for, and say why it
cannot be opened.

FFmpeg signs in by itself, with a digest where the camera wants one, and sends the password once an attempt.
"""

from __future__ import annotations

import errno
import threading
from collections.abc import Iterable
from contextlib import AbstractContextManager

import av
from av.container import InputContainer

from thirdcard.vision.addresses import public_text
from thirdcard.vision.errors import SignInRefusedError, TransportRefusedError, UnreadableVideoError

OPEN_TIMEOUT_S = 10.0
"""A camera that does not answer for so long is given up and asked again. Shorter gives up slow ones, longer waits for
dead ones. Chosen by hand."""
READ_TIMEOUT_S = 10.0
"""A stream that brings nothing for so long is given up and opened again; the table knows it for lost after 4 s."""
TRANSPORTS = ("tcp", "udp", "auto")
"""`auto`: over TCP; over UDP where the camera refuses that."""
_UDP_BUFFER_BYTES = 4 << 20
"""A key frame comes all at once; the system gives less where it allows less (`net.core.rmem_max`)."""
_LOSS = "RTP: missed"
_REFUSED_SIGN_IN = (av.error.HTTPUnauthorizedError, av.error.HTTPForbiddenError)


def open_network(source: str, *, transport: str = "tcp") -> InputContainer:
    """The stream's container.

    Args:
        source: Its address, with user and password where the camera wants them.
        transport: One of TRANSPORTS; concerns RTSP only.

    Raises:
        SignInRefusedError: The camera refuses user or password.
        TransportRefusedError: It does not send over this transport.
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
        raise UnreadableVideoError(source, reason_of(error)) from without_address(error)


def rtsp_options(transport: str) -> dict[str, str]:
    """What FFmpeg is asked to use as transport."""
    if transport == "auto":
        return {"rtsp_transport": "udp+tcp", "rtsp_flags": "prefer_tcp"}
    return {"rtsp_transport": transport, "buffer_size": str(_UDP_BUFFER_BYTES)}


def is_lossy_stream(source: str, transport: str) -> bool:
    """Whether parts of the stream may get lost on their way without an end of the connection."""
    return source.startswith("rtsp") and transport != "tcp"


class LossEar(AbstractContextManager["LossEar"]):
    """Hears from FFmpeg that packets of a network stream were lost.

    It says so in its log alone: of what is left of a picture the decoders make another without a word, that of H.265
    always. While any ear is open FFmpeg's words are passed on by whichever thread says them, which waits for the
    interpreter's lock: decoders must not work in threads of their own meanwhile that are waited for with that lock
    held, as they do by frames.
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
        """Whether FFmpeg's words, as captured, report a loss."""
        return any(_LOSS in message for _, _, message in words)


def reason_of(error: Exception) -> str:
    """Why something failed, in one line without the address of what."""
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return public_text(" ".join(str(text).split()))


def without_address(error: Exception) -> Exception:
    """The same exception; FFmpeg's name the whole address, which a traceback would show."""
    error.args = error.args[:2]
    return error
