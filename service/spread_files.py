"""Keep what was seen of spreads: a line each in `spread.jsonl`, and a picture with the doubtful places drawn."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from service.spreads import Spread, format_spread

if TYPE_CHECKING:
    from service.recordings import Recording
    from service.spread_sights import ShownSpread

SPREADS_NAME = "spread.jsonl"


@dataclass(frozen=True, slots=True)
class SpreadKeeper:
    """Writes into one output folder."""

    recording: Recording
    folder: Path

    def keep(self, shown: ShownSpread) -> Spread:
        """Write a spread's line and picture; gives it with the picture's name."""
        from service.spread_sights import draw_spread
        from service.stills import save_picture

        name = f"clips/0000-spread-{shown.spread.from_t:.1f}.jpg"
        table = self.recording.table
        save_picture(self.folder / name, draw_spread(shown, table.cameras[0].calibration, table.layout))
        spread = shown.spread.with_still(name)
        with (self.folder / SPREADS_NAME).open("a", encoding="utf-8") as file:
            file.write(json.dumps(format_spread(spread)) + "\n")
        return spread
