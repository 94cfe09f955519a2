"""What all tests share: generated tests that draw the same values every time and never fail for being slow on a busy
machine, and decks that are drawn alike everywhere."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("house", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")


@pytest.fixture(scope="module")
def plain_letters() -> Iterator[None]:
    """Machine decks and cloths have the letters of Pillow's own font, so that all machines judge the same pictures."""
    from datasets.decks import faces
    from datasets.scene import cloth

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(faces, "find_fonts", lambda variety: ())
        patch.setattr(cloth, "_font_files", lambda: ())
        cloth.text_mask.cache_clear()
        yield
    cloth.text_mask.cache_clear()
