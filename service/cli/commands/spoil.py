"""`thirdcard spoil`: copies of a recording with a camera's faults, or begun in the midst of play, to test a watch."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def spoil(
    recording: Annotated[Path, typer.Argument(metavar="RECORDING", help="The folder of a recording.")],
    out: Annotated[Path, typer.Option(help="Folder for the copies.")] = Path("out") / "spoiled",
    fault: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND@FROM+SECONDS",
            help="What is wrong when: frozen, dark, glare, covered, blurred or moved, as in dark@20+8; may be given "
            "more than once for one copy. Without it: a copy for each kind, once between rounds and once amid a deal.",
        ),
    ] = None,
    begin: Annotated[float, typer.Option(min=0, help="Leave out what comes before this second.")] = 0.0,
) -> None:
    """Copy a recording with a camera's faults put into its video, to see what a watch makes of them.

    The copy's truth, where there is one, reports the faults, so that `thirdcard evaluate` measures them.
    """
    from thirdcard.datasets.script.faults import CameraFault, parse_spell
    from thirdcard.datasets.script.spoil import COPIED, between_and_amid, load_source, spoil_recording
    from thirdcard.service.config.output_files import refuse_inputs

    source = load_source(recording)
    if fault or begin:
        jobs = {source.folder.resolve().name: [parse_spell(text) for text in fault or []]}
    else:
        jobs = {f"{source.folder.resolve().name}-{kind}": between_and_amid(source, kind) for kind in CameraFault}
    read = [source.video, *(source.folder / name for name in COPIED)]
    for name in jobs:
        copies = [out / name / file for file in (source.video.name, *COPIED)]
        refuse_inputs(copies, option="--out", inputs=read)
    for name, spells in jobs.items():
        spoil_recording(source, out / name, spells, begin_s=begin)
        said = ", ".join(f"{spell.fault} from {spell.from_s:.1f} to {spell.to_s:.1f} s" for spell in spells)
        typer.echo(f"{out / name}: {said or f'from {begin:.1f} s on'}")
