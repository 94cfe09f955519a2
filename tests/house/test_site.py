"""The documentation is built as a site, offline and strict."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.repository import ROOT
from thirdcard.service.docgen.site_links import LINK


def test_site_is_built_without_a_warning_and_fetches_nothing(tmp_path: Path) -> None:
    if importlib.util.find_spec("mkdocs") is None:
        pytest.skip("MkDocs is not installed (extra docs)")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    pages = sorted(tmp_path.rglob("*.html"))
    fetched = {
        path.name: found
        for path in pages
        if (found := re.findall(r"<(?:script|link|img)[^>]+(?:src|href)=\"(https?:[^\"]+)", path.read_text()))
    }
    assert len(pages) > 30
    assert fetched == {}


def test_every_page_is_in_the_menu() -> None:
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = [path.relative_to(ROOT / "docs").as_posix() for path in sorted((ROOT / "docs").rglob("*.md"))]
    assert [page for page in pages if f": {page}" not in menu and page != "package.md"] == []


def test_links_with_a_place_lead_to_a_heading() -> None:
    lost = []
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for _, target, place in LINK.findall(path.read_text(encoding="utf-8")):
            page = path.parent / target
            if place and page.suffix == ".md" and place[1:] not in places_of(page):
                lost.append(f"{path.name}: {target}{place}")
    assert lost == []


def places_of(page: Path) -> set[str]:
    """The anchors of a page's headings, as Markdown readers make them."""
    heads = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}
