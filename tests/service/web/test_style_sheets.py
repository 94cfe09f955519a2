"""Style sheets: what draws a plot is touched by the rules of its own sheet alone."""

from __future__ import annotations

import re

from thirdcard.service.web.pages.showing import FOLDER, STATIC

DRAWN = re.compile(r"<(?:circle|g|line|path|polyline|rect|svg|text|use)\b[^>]*?class=\"([^\"]*)\"")
COMMENT, SELECTORS = re.compile(r"/\*.*?\*/", re.DOTALL), re.compile(r"([^{}]+)\{")
BARE = re.compile(r"\.([\w-]+)")


def names_for_all(sheet: str) -> set[str]:
    """Classes whose rules hold wherever they stand."""
    text = COMMENT.sub("", (STATIC / sheet).read_text(encoding="utf-8"))
    selectors = (one.strip() for found in SELECTORS.finditer(text) for one in found[1].split(","))
    return {bare[1] for one in selectors if (bare := BARE.fullmatch(one))}


def names_drawn() -> set[str]:
    """Classes of what plots are drawn with."""
    pages = (path.read_text(encoding="utf-8") for path in (FOLDER / "templates").rglob("*.html"))
    lists = [found[1] for page in pages for found in DRAWN.finditer(page)]
    return {name for one in lists for name in re.sub(r"\{.*?\}+", " ", one).split()}


def test_no_rule_of_the_room_at_large_touches_what_a_plot_is_drawn_with() -> None:
    drawn = names_drawn()
    assert {"unseen", "plot", "shiftline"} <= drawn
    assert drawn & names_for_all("room.css") == set()
