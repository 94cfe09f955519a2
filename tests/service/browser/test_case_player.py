"""The page of an exported case opens from a file without a network, checks itself, and notices one changed byte."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.service.browser.chromium import find_chromium
from tests.service.web.rooms import Seed, sow
from tests.service.web.signed_cases import FILES, a_signed_room, export, furnish_case

pytestmark = pytest.mark.skipif(find_chromium() is None, reason="no Chromium")


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A case that was exported and unpacked."""
    folder = tmp_path_factory.mktemp("signed")
    seed: Seed = sow(tmp_path_factory.mktemp("sown"))
    with a_signed_room(folder, seed) as room:
        yield export(room, furnish_case(room), folder / "case")


def opened(browser: Browser, page_file: Path) -> tuple[str, str]:
    """The page's verdict, and all that it says."""
    context = browser.new_context(offline=True)
    page = context.new_page()
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(page_file.as_uri())
    page.wait_for_selector("body[data-verdict]", timeout=20_000)
    verdict, text = page.evaluate("document.body.dataset.verdict"), page.inner_text("main")
    context.close()
    assert [url for url in requests if not url.startswith(("file:", "blob:"))] == []
    return str(verdict), text


def test_untouched_case_verifies_without_a_network(browser: Browser, archive: Path) -> None:
    verdict, text = opened(browser, archive / "player.html")
    assert verdict == "good", text
    assert "Every file is as it was exported, and it was signed." in text
    assert "evidence/alert-1-clip.mp4: as it was kept; signed at 2026" in text
    assert "casino.example/thirdcard+" in text
    assert "import base64, hashlib" in text


def in_file(name: str) -> Callable[[str], str]:
    """One byte of a file that stands in the page."""

    def change(page: str) -> str:
        content = FILES[name]
        old, new = (base64.b64encode(one).decode() for one in (content, b"X" + content[1:]))
        assert page.count(old) == 1
        return page.replace(old, new)

    return change


def in_manifest(page: str) -> str:
    found = re.search(r'id="file-manifest.json"[^>]*>([^<]+)<', page)
    assert found is not None
    text = base64.b64decode(found[1])
    return page.replace(found[1], base64.b64encode(text.replace(b"2026", b"2025", 1)).decode())


def in_text(old: str, new: str) -> Callable[[str], str]:
    def change(page: str) -> str:
        assert old in page
        return page.replace(old, new, 1)

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        pytest.param(in_file("clip"), "evidence/alert-1-clip.mp4: was changed after the export.", id="clip"),
        pytest.param(in_file("still"), "evidence/alert-1-still.jpg: was changed after the export.", id="still"),
        pytest.param(in_manifest, "The list of files (manifest.json) was changed after the export.", id="manifest"),
        pytest.param(
            in_text("\\ntime 2026", "\\ntime 2025"), "is not signed by the key of this page.", id="checkpoint"
        ),
        pytest.param(in_text('\\"seat\\":3', '\\"seat\\":2'), "alerts/B07, lines 1 to 3: were changed", id="seat"),
    ],
)
def test_one_changed_byte_is_named(
    browser: Browser, archive: Path, tmp_path: Path, change: Callable[[str], str], said: str
) -> None:
    page = tmp_path / "player.html"
    page.write_text(change((archive / "player.html").read_text(encoding="utf-8")), encoding="utf-8")
    verdict, text = opened(browser, page)
    assert verdict == "changed", text
    assert said in text
