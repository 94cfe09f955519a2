"""Scripts drawn by machine: every rulebook, every incident as often as every other, nothing wrong in clean play."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.repository import SCRIPTS
from thirdcard.datasets.script.draw_scripts import (
    draw_chips,
    draw_clean,
    draw_handling,
    draw_incidents,
    draw_loose,
    draw_rare,
    write_script,
)
from thirdcard.datasets.script.drawn_rounds import HANDLING, INCIDENTS, PAYOUTS, can_happen, spread_incidents
from thirdcard.datasets.script.drawn_tables import TABLES, handled
from thirdcard.datasets.script.errors import ScriptError
from thirdcard.datasets.script.frozen import FOLDERS
from thirdcard.datasets.script.script import Script, ScriptedChange, load_script, parse_script

ROUNDS_AN_HOUR = 40
Draw = Callable[[int], Iterator[tuple[str, dict[str, object]]]]


def shipped(folder: str) -> list[Script]:
    return [load_script(path) for path in sorted((SCRIPTS / folder).glob("*.yaml"))]


def incidents_of(script: Script) -> list[str]:
    events = [event for spec in script.rounds for event in spec.happenings]
    kinds = [
        event.action if isinstance(event, ScriptedChange) and event.kind == "late_bet" else event.kind
        for event in events
    ]
    return [kind for kind in kinds if kind in INCIDENTS]


def test_clean_scripts_are_three_table_hours_over_all_rulebooks() -> None:
    scripts = shipped("clean")

    assert sum(len(script.rounds) for script in scripts) == 3 * ROUNDS_AN_HOUR
    assert {script.table.rulebook for script in scripts} == {"nz-authority", "nz-secretary", "sg-rws", "nsw", "tas"}
    assert not any(incidents_of(script) for script in scripts)


def test_drawn_incidents_hold_every_kind_four_times_at_least() -> None:
    counts = Counter(kind for script in shipped("held_out_more") for kind in incidents_of(script))

    assert set(counts) == set(INCIDENTS)
    assert min(counts.values()) >= 4


def test_held_out_folders_hold_a_hundred_incidents() -> None:
    assert (
        sum(len(incidents_of(script)) for folder in ("held_out", "held_out_more") for script in shipped(folder)) >= 100
    )


def test_late_changes_are_two_hundred_of_three_kinds_seen_by_a_sharp_camera() -> None:
    scripts = shipped("held_out_chips")
    counts = Counter(kind for script in scripts for kind in incidents_of(script))

    assert set(counts) == {"increased", "reduced", "moved"}
    assert sum(counts.values()) > 200
    assert min(counts.values()) >= 60
    assert all(script.camera.resolution == (2880, 1620) for script in scripts)


def test_no_seed_serves_twice() -> None:
    seeds = [load_script(path).seed for path in sorted(SCRIPTS.rglob("*.yaml"))]

    assert len(seeds) == len(set(seeds))


@pytest.mark.parametrize("folder", FOLDERS)
def test_held_out_scripts_use_held_out_decks_and_looks(folder: str) -> None:
    for script in shipped(folder):
        family, name = script.deck.split(":")
        assert family != "machine" or int(name) >= 9000
        assert script.style["split"] == "held_out"


def test_incidents_are_spread_over_the_tables_where_they_can_be() -> None:
    spread = spread_incidents(TABLES[:12], 5, np.random.default_rng(4))

    assert Counter(kind for kinds in spread for kind in kinds) == dict.fromkeys(INCIDENTS, 5)
    assert all(can_happen(kind, table) for table, kinds in zip(TABLES, spread, strict=False) for kind in kinds)
    assert max(map(len, spread)) - min(map(len, spread)) <= 4


def test_faults_in_handling_and_settling_are_spread_where_they_can_be() -> None:
    tables = [handled(table) for table in TABLES]
    spread = spread_incidents(tables, 5, np.random.default_rng(4), of=(*HANDLING, *PAYOUTS))

    assert Counter(kind for kinds in spread for kind in kinds) == dict.fromkeys((*HANDLING, *PAYOUTS), 5)
    assert all(can_happen(kind, table) for table, kinds in zip(tables, spread, strict=True) for kind in kinds)


@pytest.mark.parametrize(
    "draw",
    [draw_clean, draw_incidents, draw_handling, draw_rare, draw_chips, draw_loose],
    ids=["clean", "incidents", "handling", "rare", "chips", "loose"],
)
def test_drawn_script_is_the_same_when_read_back(draw: Draw, tmp_path: Path) -> None:
    name, mapping = next(draw(77))

    path = write_script(tmp_path, name, mapping, "Drawn.")

    assert load_script(path) == parse_script(mapping, "draw")


def test_incident_that_an_earlier_round_would_void_is_drawn_in_another_order() -> None:
    drawn = [parse_script(mapping, name) for name, mapping in draw_incidents(7060, 7, 4)]

    assert Counter(kind for script in drawn for kind in incidents_of(script)) == dict.fromkeys(INCIDENTS, 4)


def test_kind_that_can_happen_at_none_of_the_tables_is_named() -> None:
    tables = [table for table in TABLES if table.style == "A"][:1]
    with pytest.raises(ScriptError, match=r"files = 1; none of these tables can show .*; draw more, or another seed"):
        spread_incidents(tables, 1, np.random.default_rng(4), of=("face_up_deal",))
