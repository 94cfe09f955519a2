"""The command `thirdcard`: gathers the commands and turns every refusal into one line and an exit status.

Exit status 0: done; 1: failed, as far as it came is kept; 2: unusable arguments or files.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperGroup

from thirdcard.calibration.errors import CalibrationError
from thirdcard.datasets.errors import DatasetsError
from thirdcard.rules.errors import RulesError
from thirdcard.service.cli.commands import (
    analytics,
    bench,
    calibrate,
    corrections,
    enrol,
    evaluate,
    export,
    odds,
    people,
    recognise,
    referee,
    render,
    review,
    rulebooks,
    schema,
    serve,
    spoil,
    train,
    verify,
    watch,
)
from thirdcard.service.ports.errors import ServiceError
from thirdcard.vision.errors import VisionError

REFUSALS = (ServiceError, RulesError, CalibrationError, VisionError, DatasetsError)
WRONG_USE: type[Exception] = typer.BadParameter.__mro__[2]
"""What the command line parser raises for anything that was typed wrongly."""
FAILED, UNUSABLE, STOPPED = 1, 2, 130


class OneLineErrors(TyperGroup):
    """Tells each refusal in one line on standard error."""

    def main(self, *args: Any, **settings: Any) -> Any:
        """Run a command; leaves with its exit status."""
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
            sys.stderr.close()  # nobody reads any more; the interpreter would complain once again
            status = FAILED
        except OSError as error:
            status = _refuse(_file_text(error), UNUSABLE)
        sys.exit(status if isinstance(status, int) else 0)


app = typer.Typer(
    name="thirdcard",
    cls=OneLineErrors,
    help="Watch baccarat tables: what happened, what went wrong, which rule says so, with the pictures.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)
COMMANDS: dict[str, Callable[..., None]] = {
    "watch": watch.watch,
    "referee": referee.referee,
    "odds": odds.odds,
    "rulebooks": rulebooks.rulebooks,
    "recognise": recognise.recognise,
    "evaluate": evaluate.evaluate,
    "calibrate": calibrate.calibrate,
    "render": render.render,
    "spoil": spoil.spoil,
    "enrol": enrol.enrol,
    "train": train.train,
    "export": export.export,
    "bench": bench.bench,
    "serve": serve.serve,
    "analytics": analytics.analytics,
    "review": review.review,
    "verify": verify.verify,
    "schema": schema.schema,
}
for _name, _command in COMMANDS.items():
    app.command(_name)(_command)
app.add_typer(people.user_app, name="user")
app.add_typer(people.token_app, name="token")
app.add_typer(corrections.corrections_app, name="corrections")


def main() -> None:
    """Start from the shell."""
    logging.basicConfig(format="thirdcard: %(message)s", level=logging.WARNING)
    app()


def _refuse(text: str, status: int) -> int:
    print(f"thirdcard: {' '.join(text.split())}", file=sys.stderr)
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
