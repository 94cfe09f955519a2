"""What was freed between things still in use goes back to the system when it is asked to."""

from __future__ import annotations

import os

from tests.endurance.live_room import resident_bytes
from thirdcard.service.watch.process_tuning import give_back

BLOCK, BLOCKS, PINNED_EACH = 60_000, 2000, 100


def test_gaps_go_back() -> None:
    blocks: list[bytes | None] = [bytes([1]) * BLOCK for _ in range(BLOCKS)]
    for place in range(BLOCKS):
        if place % PINNED_EACH != PINNED_EACH - 1:
            blocks[place] = None
    held = resident_bytes(os.getpid())
    give_back()
    assert held - resident_bytes(os.getpid()) > 0.8 * BLOCK * BLOCKS
    assert blocks[-1] is not None
