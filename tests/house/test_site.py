"""The documentation is built as a site, offline and strict, and the tutorial's commands do what it says."""

from __future__ import annotations

import importlib.util
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.repository import ROOT
from thirdcard.service.docgen.site_links import LINK

TUTORIAL = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", TUTORIAL, re.MULTILINE | re.DOTALL)
"""The tutorial's blocks in order: the language (none: commands), and the text. A file's first line names it."""
LINES = [line for language, block in BLOCKS if not language for line in block.splitlines()]
NOT_RUN = {
    "make setup": "it makes the environment in which this test runs",
    ". .venv/bin/activate": "likewise",
    "thirdcard watch mine --out out/mine": "minutes; other tests watch the same recording",
    "thirdcard commission mine mine --out out/commission": "minutes; tests/service/commission does it",
}
"""Lines of the tutorial that cannot be run here, and why."""


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


def test_commands_of_the_tutorial_do_what_it_says(tmp_path: Path) -> None:
    (tmp_path / "datasets").symlink_to(ROOT / "datasets")
    assert set(NOT_RUN) <= set(LINES)
    for language, block in BLOCKS:
        if language:
            (tmp_path / block.splitlines()[0].removeprefix("# ")).write_text(block, encoding="utf-8")
            continue
        for line in block.splitlines():
            if line in NOT_RUN:
                continue
            words = shlex.split(line)
            command = [sys.executable, "-m", *words] if words[0] == "thirdcard" else words
            done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"{line}: {done.stdout}{done.stderr}"
