"""Some of the kinds of tampering that the program tries are found and named, and there is no false alarm."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.endurance.tamper import TAMPERINGS, Copies, Tampering, copies, false_alarms, judge

KINDS = {kind.name: kind for kind in TAMPERINGS}
AT_ONCE = (
    "alert: state", "decision: author", "decision: invented", "case: title", "case: alert taken out", "note: deleted",
    "hold: lifted", "round: dealer", "round: deleted", "user: made admin", "user: brought back", "token: made admin",
    "roster: who deals", "clip: exchanged", "set-up: list of files is none", "table: no longer watched",
)  # fmt: skip
"""Kinds that do not disturb each other."""
ALONE = (
    "alert: a time that no calendar has", "set-up: file", "set-up: unknown origin", "table: unknown state",
    "chain: audit deleted, with the log", "evidence: forged with all seals and the log", "signatures: by another key",
    "house: set back to the checkpoint before", "anchor: deleted", "anchors: newest deleted",
    "anchor: another house's",
)  # fmt: skip


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Copies]:
    with copies(is_postgres=False) as found:
        yield found


def test_there_are_sixty_kinds_and_more() -> None:
    assert len(KINDS) == len(TAMPERINGS) >= 60


def test_untouched_house_and_one_that_went_on_are_in_order(make: Copies) -> None:
    assert false_alarms(make) == []


def test_tampering_with_rows_and_files_is_named_each(make: Copies) -> None:
    house = make()
    for name in AT_ONCE:
        KINDS[name].act(house)
    verdict = house.verify("seals")
    house.close()
    assert verdict.status == 1
    assert [name for name in AT_ONCE if KINDS[name].named not in verdict.text] == []


@pytest.mark.parametrize("kind", [pytest.param(KINDS[name], id=name) for name in ALONE])
def test_tampering_is_found_from_its_least_means_on(make: Copies, kind: Tampering) -> None:
    house = make()
    outcome = judge(house, kind)
    house.close()
    assert outcome.is_right, outcome
