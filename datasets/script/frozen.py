"""The frozen test split: held-out scripts, their seeds and decks, each with its SHA-256, in `datasets/frozen.yaml`.

Videos are not hashed, since encoders differ. A cloth's hash covers its lettering: every line of text and its mask at
the script's camera. A deck's hash covers its drawn faces and back. The hashes do not depend on a machine's fonts, since
fonts come with the package; the cloth's weave and wear, which OpenCV may round differently on other processors, are
left out.

`python -m thirdcard.datasets.script.frozen [--decks DIR]` reports what has changed; with DIR also for decks of artwork.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from thirdcard.datasets.decks.artwork import ARTWORK
from thirdcard.datasets.decks.deck import load_deck
from thirdcard.datasets.scene.looks import look_of
from thirdcard.datasets.scene.projection import Projector
from thirdcard.datasets.scene.table import draw_cloth
from thirdcard.datasets.script.render import world_of
from thirdcard.datasets.script.script import load_script

SCRIPTS = Path(__file__).parents[1] / "scripts"
FROZEN = SCRIPTS.parent / "frozen.yaml"
FOLDERS = (
    "held_out", "held_out_more", "held_out_handling", "held_out_rare", "held_out_sharp", "held_out_chips", "clean",
)  # fmt: skip
_HEADING = """# The frozen test split: nothing was trained or tuned on it, no threshold set.
# Written by python -m thirdcard.datasets.script.frozen --write --decks build/decks.
"""

Entry = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class FrozenSplit:
    """The hashes of the frozen split."""

    scripts: Mapping[str, Entry]
    """Hash, seed and deck of each script, by its path."""
    cloths: Mapping[str, str]
    """The hash of each script's cloth."""
    decks: Mapping[str, str]
    """The hash of each deck, by its name."""


def fingerprint(scripts: Path = SCRIPTS) -> dict[str, Entry]:
    """Return hash, seed and deck of every held-out script, by its path."""
    entries: dict[str, Entry] = {}
    for folder in FOLDERS:
        for path in sorted((scripts / folder).glob("*.yaml")):
            script = load_script(path)
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            entries[f"{folder}/{path.name}"] = {"sha256": digest, "seed": script.seed, "deck": script.deck}
    return entries


def deck_digest(name: str, folder: Path | None) -> str:
    """Return the hash of a deck's faces and back as they are drawn here."""
    deck, digest = load_deck(name, folder), hashlib.sha256()
    for card in deck.cards:
        digest.update(deck.face(card).tobytes())
    digest.update(deck.back().tobytes())
    return digest.hexdigest()


def cloth_digest(script_path: Path) -> str:
    """Return the hash of the lettering on a script's cloth."""
    script, digest = load_script(script_path), hashlib.sha256()
    world = world_of(script, script_path.parent)
    for text, mask in draw_cloth(world, look_of(world.style, world.seed), Projector(world.camera)).lettering:
        digest.update(f"{text} {mask.shape}\n".encode())
        digest.update(mask.tobytes())
    return digest.hexdigest()


def differences(frozen: Mapping[str, object], found: Mapping[str, object]) -> list[str]:
    """Return one line for everything that differs from the frozen state."""
    told = [f"{name}: is missing" for name in frozen if name not in found]
    told += [f"{name}: is not frozen" for name in found if name not in frozen]
    return told + [f"{name}: was changed" for name in frozen if name in found and found[name] != frozen[name]]


def load_frozen(path: Path = FROZEN) -> FrozenSplit:
    """Load the frozen scripts, cloths and decks."""
    split = yaml.safe_load(path.read_text(encoding="utf-8"))
    return FrozenSplit(scripts=split["scripts"], cloths=split.get("cloths") or {}, decks=split.get("decks") or {})


def main() -> int:
    """Run the command line; return 1 if something differs from the frozen state."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decks", type=Path, help="check decks of artwork too; the folder of rasterised artwork")
    parser.add_argument("--write", action="store_true", help="freeze what is there now")
    given = parser.parse_args()
    frozen, scripts = load_frozen(), fingerprint()
    cloths = {name: cloth_digest(SCRIPTS / name) for name in scripts}
    names = sorted({str(entry["deck"]) for entry in scripts.values()})
    unseen = {name for name in names if given.decks is None and name in ARTWORK}
    kept = {name: frozen.decks[name] for name in unseen if name in frozen.decks}
    decks = {name: kept[name] if name in kept else deck_digest(name, given.decks) for name in names}
    if given.write:
        split = {"scripts": scripts, "cloths": cloths, "decks": decks}
        FROZEN.write_text(_HEADING + yaml.safe_dump(split, sort_keys=False, width=200), encoding="utf-8")
        return 0
    told = [*differences(frozen.scripts, scripts), *differences(frozen.decks, decks)]
    told += [f"{line} (cloth)" for line in differences(frozen.cloths, cloths)]
    for line in told or ["all as frozen"]:
        print(line)
    return 1 if told else 0


if __name__ == "__main__":
    raise SystemExit(main())
