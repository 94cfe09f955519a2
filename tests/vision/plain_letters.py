"""Decks drawn by machine with the letters of Pillow's own font, so that every machine judges the same faces."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from datasets.decks import faces


@pytest.fixture(autouse=True, scope="module")
def plain_letters() -> Iterator[None]:
    """While a module's tests run, no font of this machine is found."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(faces, "find_fonts", lambda variety: ())
        yield
