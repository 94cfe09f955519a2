"""Links of the documentation's site: files outside `docs` are named, not linked.

MkDocs calls `on_page_markdown` for each page (mkdocs.yml). In the repository such links lead to files that the site
does not have.
"""

from __future__ import annotations

import posixpath
import re
from typing import Any

LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s#:]+)(#[^)\s]*)?\)")


def on_page_markdown(markdown: str, /, *, page: Any, files: Any, **_: Any) -> str:
    """The page's text, with links to files outside `docs`, or to files that are no pages, written as code.

    Args:
        markdown: The text in the repository.
        page: MkDocs' page.
        files: MkDocs' files, by their path from `docs`.
    """
    folder = posixpath.dirname(page.file.src_uri)

    def named(link: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(folder, link[2]))
        if files.get_file_from_path(path) is not None:
            return link[0]
        shown = posixpath.normpath(posixpath.join("docs", path))
        return f"{link[1]} (`{shown}`)" if link[1] != shown else f"`{shown}`"

    return LINK.sub(named, markdown)
