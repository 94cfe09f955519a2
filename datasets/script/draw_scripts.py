"""Draw random scenario scripts, for recordings that nobody selected: clean play, or play full of incidents.

Each file is redrawn until it can be played and the referee confirms what it declares. The files are what is frozen;
drawing them again gives the same only with the same code. `python -m thirdcard.datasets.script.draw_scripts clean
--seed 1`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import yaml

from thirdcard.calibration.chips import load_chips
from thirdcard.datasets.script.drawn_rounds import (
    BEYOND_NOTICE,
    HANDLING,
    PAYOUTS,
    Drawer,
    clean_round,
    incident_round,
    loose_round,
    spread_incidents,
)
from thirdcard.datasets.script.drawn_tables import CHIPS, TABLES, DrawnTable, draw_look, draw_manner, handled
from thirdcard.datasets.script.errors import ScriptError
from thirdcard.datasets.script.judgement import judged_alerts
from thirdcard.datasets.script.late_changes import late_changes_round
from thirdcard.datasets.script.rare_rounds import RARE, decks_for, rare_table
from thirdcard.datasets.script.render import prepare
from thirdcard.datasets.script.script import parse_script

TRIES = 400
ROUNDS = 6
CLEAN_FILES = 20
INCIDENT_FILES = 12
INCIDENTS_EACH = 5
CARD_FILES = 8
CARD_ROUNDS = 14
CHIP_FILES = 8
CHIP_ROUNDS = 9
LOOSE_FILES = 10
MANNER_FILES = 10
LOOSE_ROUNDS = 4
SHIFT_ROUNDS = 40
SHIFT_PAUSE_S = 3.4
"""Seconds between rounds in which the cloth is still, so that the video can be cut there."""
SHIFT_INCIDENTS = (
    "placed", "third_card_missing", "increased", "order", "third_card_not_due", "removed", "wrong_result", "extra_card",
    "reduced", "moved",
)  # fmt: skip
SHARP = {"resolution": [2880, 1620]}
"""A resolution that shows a mini table at 1.05 pixels per millimetre and more."""
_HEADINGS = {
    "clean": "Clean play: legal acts only, no incident.",
    "manners": "Dealers and players who move otherwise, clean play and play with incidents in turn.",
    "incidents": "Incidents drawn by machine, every code as often as every other.",
    "handling": "Faults in handling cards, in settling wagers and beyond the table's notice, drawn by machine.",
    "rare": "What tables seldom see, drawn by machine.",
    "shift": "A shoe from its beginning, with a pause before each round: what a shift is made of.",
    "chips": "Late changes of wagers at more than a pixel a millimetre, three a round, drawn by machine.",
    "loose": "Cards laid where none belongs: beside the shoe, on a wagering area, near the table's edge.",
    "cards": "Cards at more than a pixel a millimetre: rounds without wagers, drawn by machine.",
}
_HELD_OUT = "Held out: no training, tuning or threshold saw its deck, cloth, camera or seed."

Round = Mapping[str, object]
Drawn = Iterator[tuple[str, dict[str, object]]]
"""Pairs of a script's name and its mapping."""
DrawRounds = Callable[[Drawer], list[dict[str, object]]]


def draw_clean(seed: int, count: int = CLEAN_FILES) -> Drawn:
    """Yield scripts of clean play, by name."""
    for number in range(count):
        table = TABLES[number % len(TABLES)]
        yield _playable(number, table, seed, "C", _in_any_order([None] * ROUNDS))


def draw_cards(seed: int, count: int = CARD_FILES) -> Drawn:
    """Yield scripts of cards only, with a sharper camera, by name."""
    tables = [table for table in TABLES if table.layout == "mini-7"][:count]
    bare: list[dict[str, object]] = [{"wagers": [], "pause_s": 0.3} for _ in range(CARD_ROUNDS)]
    for number, table in enumerate(tables):
        name, mapping = _playable(number, table, seed, "X", lambda drawer: bare)
        yield name, _sharper(mapping) | {"pace": 0.7}


def draw_chips(seed: int, count: int = CHIP_FILES) -> Drawn:
    """Yield scripts full of late changes of wagers, with a sharper camera, by name."""
    tables = [table for table in TABLES if table.layout == "mini-7"][-count:]

    def draw(drawer: Drawer) -> list[dict[str, object]]:
        return [late_changes_round(drawer) for _ in range(CHIP_ROUNDS)]

    for number, table in enumerate(tables):
        name, mapping = _playable(number, table, seed, "W", draw)
        yield name, _sharper(mapping)


def draw_loose(seed: int, count: int = LOOSE_FILES) -> Drawn:
    """Yield scripts with a card in each round that is laid where none belongs, by name; of every rulebook and style."""

    def draw(drawer: Drawer) -> list[dict[str, object]]:
        return [loose_round(drawer) for _ in range(LOOSE_ROUNDS)]

    for number in range(count):
        yield _playable(number, TABLES[number % len(TABLES)], seed, "L", draw)


def draw_incidents(seed: int, count: int = INCIDENT_FILES, each: int = INCIDENTS_EACH) -> Drawn:
    """Yield scripts in which most rounds contain one incident, by name."""
    rng = np.random.default_rng(seed)
    tables = [TABLES[int(i)] for i in rng.permutation(len(TABLES))[:count]]
    for number, kinds in enumerate(spread_incidents(tables, each, rng)):
        yield _playable(number, tables[number], seed, "M", _in_any_order([*kinds, None]))


def draw_manners(seed: int, count: int = MANNER_FILES, each: int = 1) -> Drawn:
    """Yield scripts of dealers and patrons with unusual habits, by name: clean play and play with incidents in turn."""
    rng = np.random.default_rng(seed)
    tables = [
        replace(TABLES[number % len(TABLES)], habits=draw_manner(np.random.default_rng((seed, number))))
        for number in range(count)
    ]
    spread = iter(spread_incidents(tables[1::2], each, rng) if count > 1 else ())
    for number, table in enumerate(tables):
        kinds = [None] * ROUNDS if number % 2 == 0 else [*next(spread), None]
        yield _playable(number, table, seed, "D", _in_any_order(kinds))


def draw_handling(seed: int, count: int = INCIDENT_FILES, each: int = INCIDENTS_EACH) -> Drawn:
    """Yield scripts with faults in handling cards, settling and the limits, by name.

    Half of the tables deal face down.
    """
    rng = np.random.default_rng(seed)
    order = [TABLES[int(i)] for i in rng.permutation(len(TABLES))]
    tables = sorted(order, key=lambda table: table.style != "B")[: count // 2]
    tables += [table for table in order if table not in tables][: count - len(tables)]
    tables = [handled(table) for table in tables]
    for number, kinds in enumerate(spread_incidents(tables, each, rng, of=(*HANDLING, *PAYOUTS, *BEYOND_NOTICE))):
        yield _playable(number, tables[number], seed, "P", _in_any_order([*kinds, None]))


def draw_rare(seed: int, count: int = INCIDENT_FILES, each: int = INCIDENTS_EACH) -> Drawn:
    """Yield scripts of rare situations, by name; each begins with a clean round."""
    rng = np.random.default_rng(seed)
    tables = [rare_table(TABLES[int(i)]) for i in rng.permutation(len(TABLES))[:count]]
    spread = spread_incidents(tables, each, rng, of=tuple(RARE), can=lambda k, t: RARE[k].can_be_at(t))
    for number, kinds in enumerate(spread):
        order = [kinds[int(i)] for i in rng.permutation(len(kinds))]

        def draw(drawer: Drawer, order: Sequence[str] = order) -> list[dict[str, object]]:
            return [clean_round(drawer), *(each for kind in order for each in RARE[kind].rounds(drawer))]

        yield _playable(number, tables[number], seed, "R", draw, decks=decks_for(kinds))


def draw_shift(seed: int, count: int = 1) -> Drawn:
    """Yield scripts of a whole shoe, by name.

    Every fourth round contains an incident; the cloth is still between rounds.
    """

    def draw(drawer: Drawer) -> list[dict[str, object]]:
        rounds = [
            incident_round(drawer, SHIFT_INCIDENTS[number // 4]) if number % 4 == 2 else clean_round(drawer)
            for number in range(SHIFT_ROUNDS)
        ]
        return [{**each, "pause_s": SHIFT_PAUSE_S} for each in rounds]

    for number in range(count):
        name, mapping = _playable(number, TABLES[number % len(TABLES)], seed, "T", draw)
        video = mapping["video"]
        assert isinstance(video, dict)
        yield name, {**mapping, "video": video | {"fps": 15, "mbit_s": 2.4}, "pace": 1.0}


def _sharper(mapping: Mapping[str, object]) -> dict[str, object]:
    """Return the same script with a camera that shows a millimetre as a pixel or more."""
    camera, video = mapping["camera"], mapping["video"]
    assert isinstance(camera, dict)
    assert isinstance(video, dict)
    return {**mapping, "camera": camera | SHARP, "video": video | {"mbit_s": 3.6}}


def write_script(folder: Path, name: str, mapping: Mapping[str, object], heading: str) -> Path:
    """Write a script in few lines; return its path."""
    lines = [f"# {heading}", f"# {_HELD_OUT}"]
    for key, value in mapping.items():
        if key == "table":
            assert isinstance(value, Mapping)
            lines += ["table:", *(f"  {part}: {_flow(inner)}" for part, inner in value.items())]
        elif key == "rounds":
            assert isinstance(value, Sequence)
            lines += ["rounds:", *(f"  - {_flow(each)}" for each in value)]
        else:
            lines.append(f"{key}: {_flow(value)}")
    path = folder / f"{name}.yaml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _in_any_order(kinds: Sequence[str | None]) -> DrawRounds:
    """Return a function that draws a round for each kind of incident (None: a clean one), each time in another order.

    Not every order can be played: a card in excess voids the hand after it, so no late bet can be an incident there.
    """

    def draw(drawer: Drawer) -> list[dict[str, object]]:
        order = [kinds[int(i)] for i in drawer.rng.permutation(len(kinds))]
        return [clean_round(drawer) if kind is None else incident_round(drawer, kind) for kind in order]

    return draw


def _playable(
    number: int, table: DrawnTable, seed: int, letter: str, draw: DrawRounds, *, decks: int | None = None
) -> tuple[str, dict[str, object]]:
    """Return the first draw that can be played and whose declared alerts the referee confirms.

    Raises:
        ScriptError: No draw of TRIES can be played.
    """
    trouble = ""
    for attempt in range(TRIES):
        rng = np.random.default_rng((seed, number, attempt))
        chips = CHIPS[int(rng.integers(len(CHIPS)))]
        rounds = draw(Drawer(table, load_chips(chips, Path()), rng))
        script_seed = 100_000 + 10_000 * seed + 100 * number + attempt % 100
        mapping = table.mapping(f"{letter}{number + 1:02d}", chips, decks=decks)
        mapping |= draw_look(table, rng, 9500 + 100 * seed + number)
        mapping = {**mapping, "seed": script_seed, **table.play(), "rounds": rounds}
        try:
            _check(mapping)
        except ScriptError as error:
            trouble = str(error)
            continue
        return f"{number + 1:02d}-{table.name}", mapping
    raise ScriptError(table.name, trouble, f"no draw of {TRIES} can be played")


def _check(mapping: dict[str, object]) -> None:
    script = parse_script(mapping, "draw")
    _, performance = prepare(script, Path())
    judged_alerts(script, performance.chronicle)


def _flow(value: object) -> str:
    return yaml.safe_dump(value, default_flow_style=True, sort_keys=False, width=10_000).removesuffix("...\n").strip()


_PLAIN = {"clean": draw_clean, "cards": draw_cards, "chips": draw_chips, "loose": draw_loose, "shift": draw_shift}
_OF_INCIDENTS = {"incidents": draw_incidents, "handling": draw_handling, "rare": draw_rare, "manners": draw_manners}


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=(*_PLAIN, *_OF_INCIDENTS))
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--files", type=int, help="how many")
    parser.add_argument("--each", type=int, help="how often each kind of incident happens in all files together")
    given = parser.parse_args()
    if given.each is not None and given.what in _PLAIN:
        parser.error(f"--each = {given.each}; {given.what} holds no incidents")
    given.out.mkdir(parents=True, exist_ok=True)
    count = {} if given.files is None else {"count": given.files}
    each = {} if given.each is None else {"each": given.each}
    drawn = _PLAIN[given.what](given.seed, **count) if given.what in _PLAIN else None
    for name, mapping in drawn or _OF_INCIDENTS[given.what](given.seed, **count, **each):
        print(write_script(given.out, name, mapping, _HEADINGS[given.what]))


if __name__ == "__main__":
    main()
