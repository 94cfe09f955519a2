"""A table watched live and the watch of its film find the same on the same frames."""

from __future__ import annotations

from tests.endurance.live_as_offline import compare
from tests.repository import DEMO_TABLE

UNTIL_S = 42.0
"""The shipped recording's first rounds, with two faults."""


def test_live_and_offline_find_the_same_on_the_same_frames() -> None:
    assert compare(DEMO_TABLE, until_s=UNTIL_S) == []
