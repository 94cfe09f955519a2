"""Links to the house's own recorder: an address with placeholders for the times of a stretch."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from string import Formatter
from urllib.parse import quote, urlsplit

PLACES = ("start", "end", "start_s", "end_s", "start_ms", "end_ms")
"""`start` and `end` are RFC 3339 in UTC; the others are seconds and milliseconds since 1970."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecorderLink:
    """A camera that the house's own recorder records."""

    name: str
    url: str
    """Its address, with placeholders."""

    def between(self, from_at: datetime, to_at: datetime) -> str:
        """The address that shows a stretch."""
        return self.url.format_map({**_said("start", from_at), **_said("end", to_at)})


def link_fault(url: str) -> str | None:
    """What is wrong with an address, as words on what is allowed; None where nothing is."""
    places = f"the places may be {', '.join(f'{{{place}}}' for place in PLACES)}"
    try:
        parts = list(Formatter().parse(url))
        address = urlsplit(url)
    except ValueError:
        return f"must be an address with places in braces; {places}"
    if address.scheme not in ("http", "https") or not address.hostname or "{" in address.netloc:
        return "must begin with http:// or https:// and name a host"
    if address.password is not None or not url.isprintable() or " " in url:
        return "must hold no password, no space and no control character"
    if any(name is not None and (name not in PLACES or spec or conversion) for _, name, spec, conversion in parts):
        return places
    return None


def _said(name: str, at: datetime) -> dict[str, str]:
    moment, ms = at.astimezone(UTC), round(at.timestamp() * 1000)
    text = moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    return {name: quote(text, safe=""), f"{name}_s": str(ms // 1000), f"{name}_ms": str(ms)}
