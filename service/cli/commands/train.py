"""`thirdcard train`: make a model anew."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from thirdcard.service.cli.commands.training_scripts import run_script


class Trained(StrEnum):
    """What can be trained."""

    DETECTOR = "detector"
    READER = "reader"
    INDEX_FINDER = "index-finder"
    INDEX_READER = "index-reader"
    STACK_HEIGHT = "stack-height"
    STACK_CHANGE = "stack-change"
    CHIP_FACES = "chip-faces"
    CLOTH_WORDS = "cloth-words"


SCRIPTS = {
    Trained.DETECTOR: "thirdcard.models.detector.detector_train",
    Trained.READER: "thirdcard.models.reader.reader_train",
    Trained.INDEX_FINDER: "thirdcard.models.index.index_finder_train",
    Trained.INDEX_READER: "thirdcard.models.index.index_reader_train",
    Trained.STACK_HEIGHT: "thirdcard.models.stacks.height_train",
    Trained.STACK_CHANGE: "thirdcard.models.stacks.change_train",
    Trained.CHIP_FACES: "thirdcard.models.stacks.chip_faces_train",
    Trained.CLOTH_WORDS: "thirdcard.models.words.word_train",
}


def train(
    model: Annotated[Trained, typer.Argument(help="Which model.")],
    settings: Annotated[
        list[str] | None, typer.Argument(help="The script's own options after --, such as: -- --device 0 --minutes 60")
    ] = None,
) -> None:
    """Train a model, on a CPU in hours or on a GPU in minutes.

    Needs what `make train-setup` installs. The options of each: thirdcard train detector -- --help
    """
    run_script(SCRIPTS[model], settings or [])
