"""`thirdcard rulebooks`: the rulebooks side by side."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


def rulebooks(
    write: Annotated[Path | None, typer.Option(help="Write the page to this file instead of printing it.")] = None,
) -> None:
    """Show the rulebooks side by side, point by point with sections, as Markdown."""
    from thirdcard.service.docgen.rulebook_page import rulebook_page

    page = rulebook_page()
    if write is None:
        sys.stdout.write(page)
    else:
        write.write_text(page, encoding="utf-8")
