"""Show a video's address without what opens it: user, password and all that may be one of them.

A network camera's address often holds both. What leaves the process (messages, logs, pages, reports, exceptions)
shows the address as it is written here: whose harmlessness is not known is left out.
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
"""What a query may show: words by which cameras tell their streams apart. Others may name a key to the door."""
_PLAIN = re.compile(r"[\w.\-]{1,20}")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:/{1,2}\S+")
_SCHEME = re.compile(r"\s*([A-Za-z][A-Za-z0-9+.\-]*:/{2,})(.*)", re.DOTALL)
_SIGNED_IN = re.compile(r"((?:[^@]*/)?)([^\s/:@]+:[^@]*@.*)", re.DOTALL)
"""User and password where the scheme was forgotten or misspelled: `admin:secret@10.0.0.5/live`."""
_SECRET_IN_PATH = re.compile(
    r"(user|usr|login|account|pass|pwd|pw|auth|token|key|secret|sign|session|sid|hash|credential)\w*?(=|%3d).*",
    re.IGNORECASE | re.DOTALL,
)
"""Some cameras want `/user=admin&password=secret&channel=1` or `/user=admin_password=secret_channel=1`."""
_HIDDEN = "..."


def public_address(source: str) -> str:
    """An address, file or device as anybody may see it.

    Of an address everything before its last `@` is left out, so that a password that holds `/`, `?` or `@` without
    being encoded does not show either; of its query only what tells streams apart is left.

    Args:
        source: `rtsp://user:password@host/path?query`, a file's path, or a device.
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
    """A text, each address in it as anybody may see it."""
    return _ADDRESS.sub(lambda found: public_address(found.group()), text)


def public_value(value: object) -> object:
    """A value out of a file of settings, each address in it as anybody may see it."""
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
