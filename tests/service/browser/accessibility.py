"""A smoke check of a page for those who cannot see it, or hardly: names, headings, the order of focus, contrast.

It runs in the page and judges what the browser computed. Contrast: WCAG 2.2, success criterion 1.4.3.
"""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

CHECK = Path(__file__).with_name("accessibility_check.js")


def faults_of(page: Page) -> list[str]:
    """What is amiss on the page, in words; empty where nothing is."""
    found = page.evaluate(CHECK.read_text(encoding="utf-8").partition("\n")[2])
    assert isinstance(found, list)
    return found + _focus_faults(page)


def _focus_faults(page: Page) -> list[str]:
    """The first stop of the Tab key leads to the content; the next are seen where they stand."""
    page.evaluate("() => { document.activeElement?.blur(); window.getSelection()?.removeAllRanges(); }")
    page.keyboard.press("Tab")
    first = page.evaluate("() => document.activeElement?.className ?? ''")
    faults = [] if first == "skip" or "login" in page.url else [f"the first stop is no way to the content: {first}"]
    for _ in range(4):
        page.keyboard.press("Tab")
        seen = page.evaluate(
            "() => { const at = document.activeElement; const style = getComputedStyle(at);"
            " return at === document.body || (style.outlineStyle !== 'none' && at.getClientRects().length > 0); }"
        )
        if not seen:
            faults.append(f"focus is not seen: {page.evaluate('() => document.activeElement.outerHTML.slice(0, 90)')}")
    return faults
