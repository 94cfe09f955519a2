"""Accessibility checks of a page: the findings of axe-core, and the order of focus.

axe judges what the browser computed by the criteria of WCAG 2.2 A and AA and by further good practice. It does not
press keys: this module checks that the first Tab stop leads to the content, and that focus is visible.
"""

from __future__ import annotations

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

TAGS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice")
ALL = {"type": "tag", "values": list(TAGS)}
COLOURS = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
"""With the tone of a page only colours change, so a second tone can break only these rules."""
LONGEST = 160
"""The most characters quoted of an element."""


def faults_of(page: Page, within: str | None = None, *, asked: dict[str, Any] = ALL) -> list[str]:
    """The faults that axe finds on the page, or within a selector; empty without faults."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(Axe().axe_script)
    ask = "([within, options]) => axe.run(within ?? document, options).then((found) => found.violations)"
    options = {"runOnly": asked, "resultTypes": ["violations"], "preload": False}
    violations = page.evaluate(ask, [within, options])
    return [_told(violation, node) for violation in violations for node in violation["nodes"]]


def _told(violation: dict[str, Any], node: dict[str, Any]) -> str:
    """One fault as a line."""
    reasons = [each["message"] for kind in ("any", "all", "none") for each in node[kind]]
    return f"{violation['id']}: {node['html'][:LONGEST]}: {'; '.join(reasons)}"


def focus_faults(page: Page) -> list[str]:
    """The faults of focus: the first Tab stop must lead to the content; the next must be visible, or players with
    controls."""
    page.evaluate("() => { document.activeElement?.blur(); window.getSelection()?.removeAllRanges(); }")
    page.keyboard.press("Tab")
    first = page.evaluate("() => document.activeElement?.className ?? ''")
    has_frame = page.locator("header.top").count() > 0
    faults = [f"the first stop is no way to the content: {first}"] if has_frame and first != "skip" else []
    for _ in range(4):
        page.keyboard.press("Tab")
        seen = page.evaluate(
            "() => { const at = document.activeElement; const style = getComputedStyle(at);"
            " return at === document.body || at.controls ||"
            " (style.outlineStyle !== 'none' && at.getClientRects().length > 0); }"
        )
        if not seen:
            faults.append(f"focus is not seen: {page.evaluate('() => document.activeElement.outerHTML.slice(0, 90)')}")
    return faults
