"""Ids that were seen before are known again, and the memory for them stays small."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thirdcard.rules.log.seen_ids import SeenIds

IDS = st.one_of(st.integers(0, 30).map(lambda i: f"c{i}"), st.text(max_size=3), st.integers(0, 99).map(str))


@settings(deadline=None)
@given(ids=st.lists(IDS, max_size=60))
def test_id_is_new_once(ids: list[str]) -> None:
    seen, known = SeenIds(), set[str]()
    for one in ids:
        assert seen.add(one) is (one not in known)
        known.add(one)


@pytest.mark.parametrize(
    ("written", "most_bytes"),
    [
        pytest.param("c{i}", 12_000, id="counted"),
        pytest.param("r{round}c{card}", 900_000, id="counted-within-a-round"),
        pytest.param("{scattered:016x}", 900_000, id="scattered"),
    ],
)
def test_memory_for_ids_stays_small(written: str, most_bytes: int) -> None:
    tracemalloc.start()
    seen = SeenIds()
    for i in range(20_000):
        one = written.format(i=i, round=i // 6, card=i % 6, scattered=i * 0x9E3779B97F4A7C15 % 2**64)
        assert seen.add(one)
    used = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert used < most_bytes
    assert not seen.add(written.format(i=7, round=1, card=1, scattered=7 * 0x9E3779B97F4A7C15 % 2**64))
