"""Watch recordings with calibrations that are wrong by some millimetres, and compare the results with the truth.

    python -m tests.endurance.wrong_calibration RECORDING... --mm 0 5 10 20 30 60

The camera's place is moved along the cloth, in another direction for each recording. So everything is seen that far
from its true place. A line is printed for each distance, with the number of watches that warned of it.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from math import cos, radians, sin
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from tests.vision.printed_cloth import bumped
from thirdcard.service.config.table_file import TableConfig
from thirdcard.service.evaluate.accounts import account_of, load_truth
from thirdcard.service.evaluate.comparison import Comparison, combine, compare
from thirdcard.service.watch.recording_run import watch_recording
from thirdcard.service.watch.recordings import find_recording
from thirdcard.service.watch.terminal import SilentView

MANY_DEG = 137.5
"""The angle from one recording's direction to the next, so that no two are equal (the golden angle)."""


def misplaced(table: TableConfig, off_mm: float, direction_deg: float) -> TableConfig:
    """Return the table with an error of `off_mm` in its first camera's calibration."""
    camera = table.cameras[0]
    way = np.array([cos(radians(direction_deg)), sin(radians(direction_deg)), 0.0])
    return replace(
        table,
        cameras=(
            replace(camera, calibration=bumped(camera.calibration, np.zeros(3), off_mm * way)),
            *table.cameras[1:],
        ),
    )


def watched(folder: Path, off_mm: float, direction_deg: float, out: Path) -> tuple[Comparison, bool]:
    """Return the comparison of the findings with the truth, and whether the watch warned that the print is off."""
    recording = find_recording(str(folder))
    recording = replace(recording, table=misplaced(recording.table, off_mm, direction_deg))
    findings = watch_recording(recording, out / f"{folder.name}-{off_mm:g}", SilentView())
    is_warned = any("print lies" in note for note in findings.notes)
    return compare(folder.name, load_truth(folder, recording.table), account_of(findings)), is_warned


def main() -> None:
    """Watch the recordings with each error, and print a line for each."""
    parser = argparse.ArgumentParser(description="Watch recordings with wrong calibrations.")
    parser.add_argument("recordings", type=Path, nargs="+")
    parser.add_argument("--mm", type=float, nargs="+", default=[0, 2, 5, 10, 20, 30, 60])
    args = parser.parse_args()
    print("off by | incidents | false | rounds exact | wager changes | false | warned")
    for off_mm in args.mm:
        with TemporaryDirectory() as out:
            tried = [watched(folder, off_mm, i * MANY_DEG, Path(out)) for i, folder in enumerate(args.recordings)]
        every = combine([comparison for comparison, _ in tried])
        alerts = every.incidents
        print(
            f"{off_mm:4.0f} mm | {len(alerts.hits)} of {alerts.n_true} | {len(alerts.false)} | "
            f"{every.rounds_exact} of {every.rounds} | {every.wagers.found} of {every.wagers.true} | "
            f"{every.wagers.false} | {sum(warned for _, warned in tried)} of {len(tried)}",
            flush=True,
        )


if __name__ == "__main__":
    main()
