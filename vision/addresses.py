"""Remove credentials from a video source's address before it is shown.

A network camera's address often holds a user and a password. Everything that leaves the process (messages, logs, pages,
reports, exceptions) shows the address as `public_address` returns it. Parts that are not known to be harmless are left
out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

HARMLESS = frozenset(
    {
        *("camera", "channel", "codec", "fps", "height", "id", "input", "line", "live", "profile", "proto"),
        *("protocol", "resolution", "stream", "streamid", "subtype", "track", "transport", "type", "unicast"),
        *("video", "width"),
    }
)
"""Names of query parameters that may be shown: cameras use them to select a stream. Other names may hold a secret."""
_PLAIN = re.compile(r"[\w.\-]{1,20}")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:/{1,2}\S+")
_SCHEME = re.compile(r"\s*([A-Za-z][A-Za-z0-9+.\-]*:/{2,})(.*)", re.DOTALL)
_SIGNED_IN = re.compile(r"((?:[^@]*/)?)([^\s/:@]+:[^@]*@.*)", re.DOTALL)
"""User and password where the scheme is missing or misspelled: `admin:secret@10.0.0.5/live`."""
_SECRET_IN_PATH = re.compile(
    r"(user|usr|login|account|pass|pwd|pw|auth|token|key|secret|sign|session|sid|hash|credential)\w*?(=|%3d).*",
    re.IGNORECASE | re.DOTALL,
)
"""Credentials in the path, as some cameras expect them: `/user=admin&password=secret&channel=1` or
`/user=admin_password=secret_channel=1`."""
_HIDDEN = "..."


def public_address(source: str) -> str:
    """Return an address, file path or device name without credentials.

    Everything before the last `@` of an address is removed, so a password that contains an unencoded `/`, `?` or `@` is
    hidden as well. Of the query only the parameters in `HARMLESS` are kept.

    Args:
        source: `rtsp://user:password@host/path?query`, a file's path, or a device. What is not an address is returned
            unchanged.
    """
    found = _SCHEME.fullmatch(source) or _SIGNED_IN.fullmatch(source)
    if found is None:
        return source
    scheme, rest = found.groups()
    path, mark, query = rest.rpartition("@")[2].split("#")[0].partition("?")
    shown = _SECRET_IN_PATH.sub(_HIDDEN, path)
    kept = [part for part in re.split("[&;]", query) if _is_harmless(part)]
    return f"{scheme}{shown}{mark if kept else ''}{'&'.join(kept)}".split(" ")[0]


def public_text(text: str) -> str:
    """Return a text with the credentials removed from every address in it."""
    return _ADDRESS.sub(lambda found: public_address(found.group()), text)


def public_value(value: object) -> object:
    """Return a settings value, nested mappings and lists included, with credentials removed from its addresses."""
    if isinstance(value, str):
        return public_address(value)
    if isinstance(value, Mapping):
        return {key: public_value(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [public_value(each) for each in value]
    return value


def _is_harmless(part: str) -> bool:
    name, _, value = part.partition("=")
    return name.lower() in HARMLESS and _PLAIN.fullmatch(value) is not None
