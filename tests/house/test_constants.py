"""The numbers that decide in what interprets and judges become fewer, and each has words of its own."""

from __future__ import annotations

import pytest

from tests.house.constants import room_constants

MOST = {"rules": 20, "service/interpretation": 20}
"""As many as there were when they were first counted, less those that are gone since."""
MOST_BARE = {"rules": 0, "service/interpretation": 0, "vision": 0}


@pytest.mark.parametrize("room", MOST)
def test_no_more_numbers_decide_than_did(room: str) -> None:
    assert len(room_constants(room)) <= MOST[room]


@pytest.mark.parametrize("room", MOST_BARE)
def test_no_more_numbers_stand_without_a_word(room: str) -> None:
    bare = [f"{one.path}: {one.name}" for one in room_constants(room) if not one.is_explained]
    assert len(bare) <= MOST_BARE[room], bare
