"""`thirdcard rulebooks`: those that come with the program, and a house's own."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from thirdcard.service.cli.commands.serve import HOME_HELP

rulebooks_app = typer.Typer(help="The rulebooks: list, show, check and write them.", no_args_is_help=True)
UNUSABLE = 2


@rulebooks_app.callback()
def rulebooks() -> None:
    """The rulebooks: list, show, check and write them."""


@rulebooks_app.command("list")
def list_rulebooks(home: Annotated[Path | None, typer.Option(help=HOME_HELP)] = None) -> None:
    """List the rulebooks that come with the program, and with --home the house's own in HOME/rulebooks."""
    from thirdcard.rules.errors import RulebookError
    from thirdcard.rules.rulebook.load import load_rulebook, rulebook_ids
    from thirdcard.service.config.rulebook_files import own_rulebooks

    for rulebook_id in rulebook_ids():
        typer.echo(f"{rulebook_id:14} {load_rulebook(rulebook_id).title}")
    for path in own_rulebooks(home) if home is not None else ():
        try:
            book = load_rulebook(str(path))
        except RulebookError as error:
            typer.echo(f"{path.stem:14} {path}: cannot be used, {len(error.problems)} to mend (rulebooks check {path})")
        else:
            typer.echo(f"{book.id:14} {book.title} ({path})")


@rulebooks_app.command()
def show(
    rulebook: Annotated[str, typer.Argument(help="A rulebook's id, or the path of its file.")],
    file: Annotated[bool, typer.Option("--file", help="Print the file itself instead.")] = False,
) -> None:
    """Show one rulebook, point by point with sections, as Markdown."""
    from thirdcard.rules.rulebook.load import load_rulebook, rulebook_text
    from thirdcard.service.docgen.rulebook_page import rulebook_in_words

    sys.stdout.write(rulebook_text(rulebook) if file else rulebook_in_words(load_rulebook(rulebook)))


@rulebooks_app.command()
def page(
    write: Annotated[Path | None, typer.Option(help="Write the page to this file instead of printing it.")] = None,
) -> None:
    """Show the rulebooks side by side, point by point with sections, as Markdown."""
    from thirdcard.service.config.output_files import written
    from thirdcard.service.config.rulebook_files import shipped_files
    from thirdcard.service.docgen.rulebook_page import rulebook_page

    text = rulebook_page()
    if write is None:
        sys.stdout.write(text)
    else:
        with written(write, option="--write", inputs=shipped_files()) as draft:
            draft.write_text(text, encoding="utf-8")


@rulebooks_app.command()
def check(file: Annotated[list[Path], typer.Argument(help="A rulebook's file; several may be named.")]) -> None:
    """Tell all that is wrong with a rulebook's file, each with its line, its key and what is allowed.

    The form of the file is in docs/rulebook-format.md.
    """
    from thirdcard.rules.errors import RulebookError
    from thirdcard.rules.rulebook.load import load_rulebook
    from thirdcard.service.docgen.rulebook_page import summary_of

    wrong = 0
    for path in file:
        reference = str(path if path.suffix in (".yaml", ".yml") else path.absolute())
        try:
            book = load_rulebook(reference)
        except RulebookError as error:
            wrong += len(error.problems)
            for problem in error.problems:
                typer.echo(problem)
        else:
            typer.echo(f"{path}: can be used. {summary_of(book)}")
    if wrong:
        typer.echo(f"thirdcard: rulebooks check: {wrong} to mend (see docs/rulebook-format.md)", err=True)
        raise typer.Exit(UNUSABLE)


@rulebooks_app.command()
def new(
    name: Annotated[str, typer.Argument(help="The new rulebook's id: small letters, digits and -.")],
    source: Annotated[str, typer.Option("--from", help="The rulebook to begin with, an id or a path.")] = "macau",
    home: Annotated[Path | None, typer.Option(help=f"Write it to HOME/rulebooks. {HOME_HELP}")] = None,
) -> None:
    """Write NAME.yaml, a copy of another rulebook under a new id, here or into HOME/rulebooks."""
    from thirdcard.service.config.rulebook_files import write_copy

    typer.echo(f"{write_copy(name, source, home)} written; check it with: thirdcard rulebooks check")
