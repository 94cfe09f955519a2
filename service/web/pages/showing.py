"""Render pages from templates; times in the house's time zone, cards as pictures, codes as words."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse

from thirdcard.rules.game.cards import parse_card
from thirdcard.service.alerts.reasons import DISMISSAL_REASONS
from thirdcard.service.alerts.storms import CAMERA, GAP, LEAST, SPAN
from thirdcard.service.config.rule_words import RuleWords
from thirdcard.service.config.settings import RoomSettings
from thirdcard.service.ports.code_words import code_title
from thirdcard.service.watch import wording
from thirdcard.service.watch.report.playing_cards import draw_card, draw_hand, suit_symbols
from thirdcard.service.web.http_errors import RefusedError
from thirdcard.service.web.pages.clip_facts import file_word
from thirdcard.service.web.pages.review_words import correction_words, event_words, outcome_words

FOLDER = Path(__file__).parent
STATIC = FOLDER / "static"
REMIND_EVERY_S = 30
"""Seconds between the reminders of alerts that nobody acknowledged."""
STATE_WORDS = {
    "open": "open",
    "acknowledged": "taken",
    "escalated": "escalated",
    "confirmed": "confirmed",
    "dismissed": "dismissed",
    "withdrawn": "withdrawn",
}

REFUSED = {
    401: "Please sign in",
    403: "You may not do this",
    404: "There is nothing here",
    409: "This is not possible now",
    413: "This is too large",
    429: "Too many attempts",
    503: "Not available at the moment",
}
"""The title of an error page, by status."""
FAILED, NOT_UNDERSTOOD = "Something went wrong", "This could not be done"


class Pages:
    """The templates, ready to be rendered."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment

    def show(self, template: str, status: int = 200, **facts: Any) -> HTMLResponse:
        """Render a page or a part of one."""
        return HTMLResponse(self._environment.get_template(template).render(**facts), status_code=status)

    def part(self, template: str, **facts: Any) -> Markup:
        """Render a part to be included in a page or sent by itself."""
        return Markup(self._environment.get_template(template).render(**facts))

    def show_login_fault(self, fault: str, *, name: str, next: str, wait_s: int | None) -> HTMLResponse:
        """The login page with an error message."""
        status = 401 if wait_s is None else 429
        response = self.show("login.html", status, next=next, name=name, fault=fault, is_new=False)
        if wait_s is not None:
            response.headers["Retry-After"] = str(wait_s)
        return response

    def show_refusal(self, refusal: RefusedError) -> HTMLResponse:
        """The error page for a browser."""
        title = REFUSED.get(refusal.status, FAILED if refusal.status >= 500 else NOT_UNDERSTOOD)
        response = self.show("refusal.html", refusal.status, title=title, message=refusal.message)
        response.headers.update(refusal.headers or {})
        return response


def build_pages(settings: RoomSettings) -> Pages:
    """The templates of this service."""
    return Pages(build_environment(settings))


def build_environment(settings: RoomSettings) -> Environment:
    """The template environment with the words and the time zone of this service."""
    environment = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    zone = ZoneInfo(settings.time_zone)
    environment.globals.update(
        symbols=suit_symbols(),
        digest=digest_of_assets(),
        reasons=DISMISSAL_REASONS,
        zone_name=settings.time_zone,
        version=settings.version,
        remind_after_s=int(settings.remind_after.total_seconds()),
        remind_every_s=REMIND_EVERY_S,
        storm={
            "least": LEAST,
            "gap_s": GAP.total_seconds(),
            "span_s": SPAN.total_seconds(),
            "camera": f"{CAMERA}.",
        },
    )
    environment.filters.update({**_filters(zone), "rule_words": partial(_rule_words, settings)})
    return environment


def _rule_words(settings: RoomSettings, section: str | None, rulebook: str) -> str:
    """The text of a section in the rulebooks that the tables have now."""
    return RuleWords.joined(facts.rule_words for facts in settings.tables).of(section, rulebook)


def _filters(zone: ZoneInfo) -> Mapping[str, Any]:
    return {
        "clock_time": lambda at: f"{at.astimezone(zone):%H:%M:%S}",
        "day": lambda at: f"{at.astimezone(zone):%-d %b %Y}",
        "moment": lambda at: f"{at.astimezone(zone):%-d %b %Y %H:%M:%S}",
        "iso": lambda at: at.isoformat(),
        "address": lambda said: urlencode({name: value for name, value in said.items() if value}),
        "log_time": lambda text: _log_time(text, zone),
        "title_of": code_title,
        "lasted": wording.duration,
        "bet": wording.bet_text,
        "action": lambda action: wording.ACTION_WORDS.get(action, action),
        "hand": lambda names: draw_hand([None if name is None else parse_card(name) for name in names]),
        "cards": lambda names: Markup("").join(draw_card(parse_card(name)) for name in names),
        "money": lambda amount: "?" if amount is None else f"{amount:,}".replace(",", "\u202f"),
        "size": _size_words,
        "with_code": with_code,
        "file_word": file_word,
        "first_upper": lambda text: text[:1].upper() + text[1:],
        "state_word": lambda state: STATE_WORDS.get(str(state), str(state)),
        "event": event_words,
        "reason": lambda reason: DISMISSAL_REASONS.get(reason, reason),
        "outcome": outcome_words,
        "correction": lambda view: correction_words(view.body),
    }


def with_code(text: str) -> Markup:
    """A text as HTML; what stands between backticks in it is shown as code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def _size_words(size_bytes: int) -> str:
    """A size in decimal units, such as `1.5 MB`."""
    for unit, of_bytes in (("TB", 10**12), ("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size_bytes >= of_bytes:
            return f"{size_bytes / of_bytes:.1f} {unit}"
    return f"{size_bytes} bytes"


def _log_time(text: str, zone: ZoneInfo) -> str:
    """The clock time of a log line, to the tenth of a second."""
    try:
        at = datetime.fromisoformat(text).astimezone(zone)
    except ValueError:
        return ""
    return f"{at:%H:%M:%S}.{at.microsecond // 100_000}"


def digest_of_assets() -> str:
    """A hash of style and scripts; it is part of their URL, so that browsers may cache them."""
    digest = hashlib.sha256()
    for path in sorted(STATIC.rglob("*")):
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
