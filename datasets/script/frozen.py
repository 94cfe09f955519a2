"""The frozen test split: held-out scripts, their seeds and decks, each with its SHA-256, in `datasets/frozen.yaml`.

Videos are not hashed: encoders differ. A deck's hash is that of its drawn faces and back; it depends on the fonts of
the machine, which are named where they are missing, and is checked only when asked for.
`python -m datasets.script.frozen [--decks DIR]` tells what is changed.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Mapping
from pathlib import Path

import yaml

from datasets.decks.deck import load_deck
from datasets.decks.glyphs import HELD_OUT_FONTS, find_fonts
from datasets.script.script import load_script

SCRIPTS = Path(__file__).parents[1] / "scripts"
FROZEN = SCRIPTS.parent / "frozen.yaml"
FOLDERS = (
    "held_out", "held_out_more", "held_out_handling", "held_out_rare", "held_out_sharp", "held_out_chips", "clean",
)  # fmt: skip
_HEADING = """# The frozen test split: nothing was trained or tuned on it, no threshold set.
# Written by python -m datasets.script.frozen --write --decks build/decks.
"""

Entry = dict[str, object]


def fingerprint(scripts: Path = SCRIPTS) -> dict[str, Entry]:
    """Every held-out script by its path: hash, seed and deck."""
    entries: dict[str, Entry] = {}
    for folder in FOLDERS:
        for path in sorted((scripts / folder).glob("*.yaml")):
            script = load_script(path)
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            entries[f"{folder}/{path.name}"] = {"sha256": digest, "seed": script.seed, "deck": script.deck}
    return entries


def deck_digest(name: str, folder: Path | None) -> str:
    """The hash of a deck's faces and back as they are drawn here."""
    deck, digest = load_deck(name, folder), hashlib.sha256()
    for card in deck.cards:
        digest.update(deck.face(card).tobytes())
    digest.update(deck.back().tobytes())
    return digest.hexdigest()


def missing_fonts() -> list[str]:
    """The fonts of held-out decks that this machine lacks."""
    found = {path.stem for path in find_fonts("held_out")}
    return [stem for stem in HELD_OUT_FONTS if stem not in found]


def differences(frozen: Mapping[str, object], found: Mapping[str, object]) -> list[str]:
    """One line for everything that is not as frozen."""
    told = [f"{name}: is missing" for name in frozen if name not in found]
    told += [f"{name}: is not frozen" for name in found if name not in frozen]
    return told + [f"{name}: was changed" for name in frozen if name in found and found[name] != frozen[name]]


def load_frozen(path: Path = FROZEN) -> tuple[dict[str, Entry], dict[str, str]]:
    """The frozen scripts and decks."""
    split = yaml.safe_load(path.read_text(encoding="utf-8"))
    return dict(split["scripts"]), dict(split.get("decks") or {})


def main() -> int:
    """The command line; 1 where something is not as frozen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decks", type=Path, help="check the decks too; the folder of rasterised artwork")
    parser.add_argument("--write", action="store_true", help="freeze what is there now")
    given = parser.parse_args()
    scripts = fingerprint()
    names = sorted({str(entry["deck"]) for entry in scripts.values()})
    decks = {} if given.decks is None else {name: deck_digest(name, given.decks) for name in names}
    if given.write:
        split = {"scripts": scripts, "decks": decks}
        FROZEN.write_text(_HEADING + yaml.safe_dump(split, sort_keys=False, width=200), encoding="utf-8")
        return 0
    frozen_scripts, frozen_decks = load_frozen()
    told = differences(frozen_scripts, scripts) + (differences(frozen_decks, decks) if decks else [])
    told += [
        f"font {stem}: is not on this machine, and held-out decks are lettered otherwise" for stem in missing_fonts()
    ]
    for line in told or ["all as frozen"]:
        print(line)
    return 1 if told else 0


if __name__ == "__main__":
    raise SystemExit(main())
