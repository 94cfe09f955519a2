"""What was freed between things still in use goes back to the system when it is told to."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

import pytest

from service.memory import give_back

BLOCK, BLOCKS, PINNED_EACH = 60_000, 2000, 100


def resident_bytes() -> int:
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * resource.getpagesize()


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux how much is held")
def test_gaps_go_back() -> None:
    blocks: list[bytes | None] = [bytes([1]) * BLOCK for _ in range(BLOCKS)]
    for place in range(BLOCKS):
        if place % PINNED_EACH != PINNED_EACH - 1:
            blocks[place] = None
    held = resident_bytes()
    give_back()
    assert held - resident_bytes() > 0.8 * BLOCK * BLOCKS
    assert blocks[-1] is not None
