"""Find an installed Chromium and open it; nothing is downloaded.

It uses only the fonts of the package: without any font it crashes, and with a machine's own fonts pages differ.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.repository import ROOT

VARIABLE = "THIRDCARD_CHROMIUM"
USUAL = "/usr/bin/chromium"
QUIET = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--autoplay-policy=no-user-gesture-required",
)  # fmt: skip
FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>{fonts}</dir><cachedir>{cache}</cachedir></fontconfig>
"""
"""A fontconfig with one folder."""


def find_chromium() -> Path | None:
    """The path of a Chromium; None where there is none."""
    path = Path(os.environ.get(VARIABLE, USUAL))
    return path if path.is_file() else None


@contextmanager
def open_chromium(path: Path) -> Iterator[Browser]:
    """A browser without a window."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        settings = Path(folder) / "fonts.conf"
        fonts = ROOT / "service" / "web" / "pages" / "fonts"
        settings.write_text(FONTS.format(fonts=fonts, cache=Path(folder) / "cache"), encoding="utf-8")
        environment: dict[str, str | float | bool] = {**os.environ, "FONTCONFIG_FILE": str(settings)}
        browser = playwright.chromium.launch(executable_path=path, args=list(QUIET), env=environment)
        try:
            yield browser
        finally:
            browser.close()
