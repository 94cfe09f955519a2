"""What an address of a camera's stream must look like.

Knows nothing of networks: it looks at the spelling alone. No text holds a part of the address, which may be a password.
"""

from __future__ import annotations

from urllib.parse import urlsplit

SCHEMES = ("rtsp", "rtsps", "rtmp", "rtmps", "http", "https", "udp", "rtp", "srt", "tcp")
"""The schemes that FFmpeg reads a camera's stream from."""
LISTENERS = frozenset({"udp", "rtp", "srt", "tcp"})
"""Schemes whose address may lack a host: the stream is then sent to this machine."""
_PORT = "must have a port from 1 to 65535; write /, ?, # and : of a password as %2F, %3F, %23 and %3A"


def address_fault(address: str) -> str | None:
    """What is wrong with a stream's address, as words on what is allowed; None where nothing is."""
    scheme = address.partition("://")[0]
    if scheme not in SCHEMES:
        return f"must be a film's path, or begin with one of {', '.join(f'{one}://' for one in SCHEMES)}"
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return _PORT
    if port is not None and port < 1:
        return _PORT
    host = parts.hostname or ""
    if not address.isprintable() or any(one.isspace() for one in parts.netloc):
        return "must hold no blank and no control character"
    if not host and not (scheme in LISTENERS and port is not None):
        return f"must name the camera's host, as in {scheme}://10.20.0.31/stream1"
    return None
