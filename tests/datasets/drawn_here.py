"""Draw a cloth, a deck and a frame and print their digests: `python -m tests.datasets.drawn_here`.

With `barred`, no font outside the repository's folder of fonts can be used: listing or opening the system's font
folders is refused, and so is opening any other file through FreeType.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

from tests.repository import ROOT

SCRIPT, DECK = "held_out/01-tas-a.yaml", "machine:9241"
_BARRED = ("/usr/share/fonts", "/usr/local/share/fonts", str(Path.home() / ".fonts"), "/Library/Fonts", "/System/")
_EVENTS = ("open", "os.listdir", "os.scandir")


def bar_other_fonts() -> None:
    """Make this process unable to use a font that did not come with the package."""
    from PIL import _imagingft

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if event in _EVENTS and str(arguments[0]).startswith(_BARRED):
            raise RuntimeError(f"{event}: {arguments[0]} is a folder of the system's fonts")

    def opened(font: str, *arguments: Any, **named: Any) -> Any:
        if not Path(font).resolve().is_relative_to(ROOT / "datasets" / "fonts"):
            raise RuntimeError(f"{font} did not come with the package")
        return getfont(font, *arguments, **named)

    sys.addaudithook(refuse)
    getfont = _imagingft.getfont
    _imagingft.getfont = opened  # type: ignore[assignment]


def digests() -> dict[str, str]:
    """The SHA-256 of each drawing, by name."""
    from tests.datasets.scenarios import HERE, SMALL_CAMERA, clean_round, script_of
    from thirdcard.datasets.scene.looks import look_of
    from thirdcard.datasets.scene.projection import Projector
    from thirdcard.datasets.scene.renderer import SceneRenderer
    from thirdcard.datasets.scene.table import draw_cloth
    from thirdcard.datasets.script.frozen import SCRIPTS, cloth_digest, deck_digest
    from thirdcard.datasets.script.render import prepare, render_frame, world_of
    from thirdcard.datasets.script.script import load_script

    path = SCRIPTS / SCRIPT
    world = world_of(load_script(path), path.parent)
    cloth = draw_cloth(world, look_of(world.style, world.seed), Projector(world.camera)).image
    job, _ = prepare(script_of(clean_round(), camera=SMALL_CAMERA), HERE)
    frame = render_frame(SceneRenderer(job.world), job, 60).image_hw3
    pixels = {name: hashlib.sha256(image.tobytes()).hexdigest() for name, image in (("cloth", cloth), ("frame", frame))}
    return {"lettering": cloth_digest(path), "deck": deck_digest(DECK, None), **pixels}


if __name__ == "__main__":
    if sys.argv[1:] == ["barred"]:
        bar_other_fonts()
    print(json.dumps(digests()))
