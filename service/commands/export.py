"""`thirdcard export`: a trained model into the form in which it runs."""

from __future__ import annotations

from typing import Annotated

import typer

from service.commands.train import Trained
from service.commands.training_scripts import run_script

SCRIPTS = {
    Trained.DETECTOR: "models.detector_export",
    Trained.READER: "models.reader_export",
    Trained.INDEX_FINDER: "models.index_export",
    Trained.INDEX_READER: "models.index_export",
}


def export(
    model: Annotated[Trained, typer.Argument(help="Which model.")],
    settings: Annotated[
        list[str] | None, typer.Argument(help="The checkpoint, then the script's own options after --.")
    ] = None,
) -> None:
    """Write a trained model as ONNX and enter it in models/registry.yaml.

    Needs the train extra. The options of each: thirdcard export detector -- --help
    """
    run_script(SCRIPTS[model], settings or [])
