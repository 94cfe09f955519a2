"""The structure of a page as text for review: what a screen reader says, the layout of boxes, the look of states.

Unlike pixels, this does not depend on fonts and clocks. Numbers, days and months are replaced; of a list or a table
only the first few kinds of lines are kept. `python -m tests.service.browser.page_structure` writes all files again;
changes are then reviewed like code.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml
from playwright.sync_api import Page

from tests.service.browser.chromium import find_chromium, open_chromium
from tests.service.browser.every_page import DESK, PHONE, every_page

FOLDER = Path(__file__).with_name("structure")
TONES = "tones"
"""The file with the look of states, which is the same on all pages."""
SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8").partition("\n")[2]
FEW = 3
"""The number of lines kept of a kind."""
_REPEATED = re.compile(r"(?:row|listitem|option|img|group)\b|link \"(?:D-)?N")
_TOLD = re.compile(r"(?:row|link|button|cell|img) ")
"""Lines whose name includes their content."""
_LATER = 'button "Recording: N to either side"'
"""A button that is there only if the recording continues for three minutes after the alert, as on a slow machine."""
FRAMED = ("wall", "settings")
"""The pages whose frame is included; on all others it is the same."""
_DRAWN = re.compile(r"\b[0-9a-f]{40,}\b|(?<=\bD-)[0-9A-Z]{4,}\b")
"""Digests, and pseudonyms of dealers."""
_CLOCK = re.compile(
    r"\b(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug"
    r"|Sept?|Oct|Nov|Dec|January|February|March|April|June|July|August|September|October|November|December)\b"
)
_NUMBER = re.compile(r"(?<!level=)(?<!\bh)(?<!\bT)(?<!\bmp)\d+(?:[.,:\u202f-]\d+)*")
_UNIT = re.compile(r"(?<=N)[ \u202f](?:s|min|h|bytes|kB|MB|GB|TB)\b")
_DATES = re.compile(r"N(?:[ \u2009]N)+")

Structure = dict[str, Any]


def plain(text: str) -> str:
    """The text without the parts that depend on time and place."""
    return _DATES.sub("N", _UNIT.sub("", _NUMBER.sub("N", _CLOCK.sub("N", _DRAWN.sub("N", text)))))


def read_out(page: Page, within: str) -> list[Any]:
    """What a screen reader says, without the targets of links."""
    tree = yaml.safe_load(plain(page.locator(within).aria_snapshot()))
    return _short(tree if isinstance(tree, list) else [tree])


def _short(lines: list[Any]) -> list[Any]:
    """The lines without repetitions, and the first few of many."""
    found: list[Any] = []
    seen: dict[str, int] = {}
    shorts = [_short_line(line) for line in lines]
    if all(str(short).startswith("row ") for short in shorts):
        shorts.sort()  # their order may depend on the hour
    for short in shorts:
        kind = _REPEATED.match(next(iter(short)) if isinstance(short, dict) else str(short))
        if short is None or (kind is not None and (short in found or seen.get(kind[0], 0) == FEW)):
            continue
        if kind is not None:
            seen[kind[0]] = seen.get(kind[0], 0) + 1
        found.append(short)
    return found


def _short_line(line: Any) -> Any:
    """The line with its children; None where it has no information."""
    if not isinstance(line, dict):
        return None if line in ("paragraph", _LATER) else line
    ((name, inner),) = line.items()
    if name.startswith("/"):
        return None
    if not isinstance(inner, list):
        return line
    below = [] if _TOLD.match(name) else _short(inner)
    return {name: below} if below else name


def lines_of(texts: list[str]) -> list[str]:
    """The lines without repetitions."""
    return list(dict.fromkeys(map(plain, texts)))


def structure_of(name: str, page: Page) -> tuple[Structure, dict[str, Structure]]:
    """The structure of a page, and the look of states by its tone; the page is left in the dark tone."""
    within = "main" if name not in FRAMED and page.locator("main").count() else "body"
    desk = page.evaluate(SCRIPT, within)
    said = read_out(page, within)
    page.emulate_media(color_scheme="light")
    light = page.evaluate(SCRIPT, within)
    page.set_viewport_size(PHONE)
    page.emulate_media(color_scheme="dark")
    phone = page.evaluate(SCRIPT, within)
    page.set_viewport_size(DESK)
    structure = {
        "boxes on a desk": lines_of(desk["boxes"]),
        "boxes on a phone": lines_of(phone["boxes"]),
        "read out": said,
    }
    return structure, {"dark": desk["tones"], "light": light["tones"]}


def written(structure: Structure) -> str:
    """The text of its file."""
    return yaml.safe_dump(structure, sort_keys=False, allow_unicode=True, width=10_000)


class Structures:
    """Collects the structures of pages."""

    def __init__(self) -> None:
        self._pages: dict[str, str] = {}
        self._tones: dict[str, dict[str, str]] = {}

    def add(self, name: str, page: Page) -> None:
        """Add a page."""
        structure, tones = structure_of(name, page)
        self._pages[name] = written(structure)
        for tone, states in tones.items():
            for state, look in states.items():
                self._tones.setdefault(state, {})[tone] = look

    def files(self) -> dict[str, str]:
        """The text of each file by name."""
        return self._pages | {TONES: written(dict(sorted(self._tones.items())))}


def main() -> int:
    """Write the structure of every page; returns 1 where there is no browser."""
    path = find_chromium()
    if path is None:
        print("there is no Chromium", file=sys.stderr)
        return 1
    FOLDER.mkdir(exist_ok=True)
    structures = Structures()
    with tempfile.TemporaryDirectory() as folder, open_chromium(path) as browser:
        for name, visitor in every_page(browser, Path(folder)):
            structures.add(name, visitor.page)
    for name, text in structures.files().items():
        (FOLDER / f"{name}.yaml").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
