"""The command `thirdcard`: gathers the commands, and turns each refusal into one line and an exit status.

Exit status 0: done; 1: failed, partial results are kept; 2: unusable arguments or files.
"""

from __future__ import annotations

import logging
import sys
import traceback
from types import TracebackType
from typing import Annotated, Any

import typer

import thirdcard
from thirdcard.calibration.errors import CalibrationError
from thirdcard.datasets.errors import DatasetsError
from thirdcard.rules.errors import RulesError
from thirdcard.service.cli.lazy_group import LazyCommand, LazyGroup
from thirdcard.service.config.log_lines import begin_lines
from thirdcard.service.ports.errors import ServiceError
from thirdcard.vision.addresses import public_text
from thirdcard.vision.errors import VisionError

REFUSALS = (ServiceError, RulesError, CalibrationError, VisionError, DatasetsError)
WRONG_USE: type[Exception] = typer.BadParameter.__mro__[2]
"""The parser's exception for any wrong argument."""
FAILED, UNUSABLE, STOPPED = 1, 2, 130
LONGEST_MESSAGE = 2000
"""The longest error message, in characters."""


def _command(module: str, line: str, *, name: str | None = None) -> LazyCommand:
    return LazyCommand(module=f"thirdcard.service.cli.commands.{module}", name_in_module=name or module, help=line)


COMMANDS = {
    "watch": _command("watch", "Watch a table: write the log, alerts with clips and stills, rounds and report.html."),
    "referee": _command("referee", "Judge a table log: print each alert as a JSON line."),
    "odds": _command("odds", "Count every deal of a full shoe exactly: outcomes, each bet's return and house edge."),
    "rulebooks": _command("rulebooks", "The rulebooks: list, show, check and write them.", name="rulebooks_app"),
    "recognise": _command("recognise", "Read the cards in any photograph: any size, any rotation, no calibration."),
    "evaluate": _command(
        "evaluate", "Watch recordings and compare with their truth: alerts, cards, rounds, wagers, delays."
    ),
    "check": _command(
        "check", "Check a table: everything that is wrong or doubtful about its files, cloth, chips and camera."
    ),
    "commission": _command(
        "commission", "Say how well a table is seen, without labels: fit, fit with limits, or not fit, and why."
    ),
    "setup": _command(
        "setup", "Set up a new table on a guided page: camera, cloth, calibration, chips, house, dry run."
    ),
    "cameras": _command(
        "cameras",
        "Find cameras on the network, or look at one: stream, light, sharpness, and whether cards are large enough.",
    ),
    "calibrate": _command(
        "calibrate", "Fit a camera to a cloth from reference points or from markers, or check a calibration."
    ),
    "render": _command(
        "render", "Draw recordings with exact truth from scenario scripts, or pictures to train the detector with."
    ),
    "spoil": _command(
        "spoil", "Copy a recording with a camera's faults put into its video, to see what a watch makes of them."
    ),
    "enrol": _command(
        "enrol", "Enrol the house's own cards or chips, so that they are read more surely and strange ones stand out."
    ),
    "train": _command("train", "Train a model, on a CPU in hours or on a GPU in minutes."),
    "export": _command("export", "Write the house's data, or a trained model."),
    "bench": _command(
        "bench",
        "Time the pipeline, decoding alone, and a whole-picture detector on every frame, in one run on the same cores.",
    ),
    "serve": _command("serve", "Watch every table in HOME/tables and serve the room's pages and API until stopped."),
    "analytics": _command(
        "analytics",
        "Show how often what went wrong: per 1000 rounds, with 95 % intervals and the rounds they stand on.",
    ),
    "review": _command(
        "review",
        "Review recorded shifts: rounds, alerts and their evidence go into HOME's store, and the pages show them.",
    ),
    "schema": _command("schema", "Print the JSON Schema of a file format, made from what parses it."),
    "verify": _command(
        "verify", "Check every chain, every row of the database, every set-up and every file of evidence."
    ),
    "signer": _command("signer", "Sign what the service sealed, as another user.", name="signer_app"),
    "tables": _command(
        "table_commands",
        "The tables of the surveillance room's service: a running service follows within two seconds.",
        name="tables_app",
    ),
    "user": _command("people", "Users of the surveillance room's service.", name="user_app"),
    "token": _command("people", "Tokens with which programs and devices use the service.", name="token_app"),
    "corrections": _command("corrections", "What people corrected in rounds.", name="corrections_app"),
}
"""Each command with the first paragraph of its help."""


class OneLineErrors(LazyGroup):
    """Prints each refusal as one line on standard error."""

    lazy_commands = COMMANDS

    def main(self, *args: Any, **settings: Any) -> Any:
        """Run a command and exit with its status."""
        settings["standalone_mode"] = False
        settings["prog_name"] = settings.get("prog_name") or "thirdcard"
        try:
            status = super().main(*args, **settings)
        except REFUSALS as error:
            status = _refuse(str(error), UNUSABLE)
        except WRONG_USE as error:
            status = _refuse(_usage_text(error), UNUSABLE)
        except (typer.Abort, KeyboardInterrupt):
            status = _refuse("stopped by hand", STOPPED)
        except BrokenPipeError:
            sys.stderr.close()  # nobody reads any more; the interpreter would report the broken pipe again
            status = FAILED
        except OSError as error:
            status = _refuse(_file_text(error), UNUSABLE)
        sys.exit(status if isinstance(status, int) else 0)


app = typer.Typer(
    name="thirdcard",
    cls=OneLineErrors,
    help="Watch baccarat tables: what happened, what went wrong, which rule says so, with the pictures.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)


def _tell_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"thirdcard {thirdcard.__version__}")
        raise typer.Exit


@app.callback()
def options_of_all(
    version: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Options that come before the command."""


def main() -> None:
    """The entry point of the shell command."""
    begin_lines("thirdcard: %(message)s", logging.WARNING)
    sys.excepthook = _tell_fault
    app()


def _tell_fault(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print an unexpected exception in full, but without camera passwords."""
    print(public_text("".join(traceback.format_exception(kind, error, trace))), end="", file=sys.stderr)


def _refuse(text: str, status: int) -> int:
    """Print the text as one printable line, and return the status."""
    line = public_text(" ".join(text.split()))
    shown = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in line[:LONGEST_MESSAGE])
    print(f"thirdcard: {shown}{'' if len(line) <= LONGEST_MESSAGE else ' ...'}", file=sys.stderr)
    return status


def _usage_text(error: Exception) -> str:
    format_message = getattr(error, "format_message", None)
    context = getattr(error, "ctx", None)
    text = (str(format_message()) if format_message is not None else str(error)) or "needs a command"
    path = "" if context is None else f"{context.command_path.removeprefix('thirdcard').strip()}: "
    hint = "" if context is None else f" (see {context.command_path} --help)"
    return f"{path}{text}{hint}" if path != ": " else f"{text}{hint}"


def _file_text(error: OSError) -> str:
    name = "" if error.filename is None else f"{error.filename}: "
    return f"{name}{error.strerror or error}"
