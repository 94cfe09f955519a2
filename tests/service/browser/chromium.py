"""Find a Chromium and open it; nothing is fetched."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

VARIABLE = "THIRDCARD_CHROMIUM"
USUAL = "/usr/bin/chromium"
QUIET = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--autoplay-policy=no-user-gesture-required",
)  # fmt: skip


def find_chromium() -> Path | None:
    """Where one is; None where there is none."""
    path = Path(os.environ.get(VARIABLE, USUAL))
    return path if path.is_file() else None


@contextmanager
def open_chromium(path: Path) -> Iterator[Browser]:
    """A browser without a window."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(QUIET))
        try:
            yield browser
        finally:
            browser.close()
