"""`thirdcard tables`: add, change, stop and take back tables, while the service runs or while it does not."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thirdcard.service.cli.commands.people import COMMAND_LINE, HomeOption

if TYPE_CHECKING:
    from thirdcard.service.tables.table_acts import Made, TableActs

tables_app = typer.Typer(
    help="The tables of the surveillance room's service: a running service follows within two seconds.",
    no_args_is_help=True,
)
TableArgument = Annotated[str, typer.Argument(metavar="TABLE", help="The table's id.")]
FilesArgument = Annotated[
    Path, typer.Argument(metavar="PATH", help="A table.yaml, or the folder that holds one; what it names goes along.")
]
WhyOption = Annotated[str | None, typer.Option("--why", help="Why; it stands beside the version and in the audit.")]
JsonOption = Annotated[bool, typer.Option("--json", help="JSON instead of text.")]


@tables_app.command("list")
def list_tables(home: HomeOption, as_json: JsonOption = False) -> None:
    """List the tables: whether each is watched, its version, who changed it last, and when."""
    from thirdcard.service.ports.moments import format_moment
    from thirdcard.service.tables.setups import list_known

    with _acting(home) as acts, acts.database.reading() as session:
        known = list_known(session)
    told = [
        {
            "table": one.table_id,
            "state": str(one.wanted),
            "version": one.setup.version,
            "by": one.changed_by,
            "at": format_moment(one.changed_at),
        }
        for one in known
    ]
    _tell(told, as_json)


@tables_app.command()
def versions(table: TableArgument, home: HomeOption, as_json: JsonOption = False) -> None:
    """List a table's versions, the newest first, with the files that each changed."""
    from thirdcard.service.ports.moments import format_moment
    from thirdcard.service.tables.setups import NoSuchSetupError, changed_names, list_versions

    with _acting(home) as acts, acts.database.reading() as session:
        found = list_versions(session, table)
    if not found:
        raise NoSuchSetupError(f"{table}: there is no such table")
    before = {one.version: one for one in found}
    told = [
        {
            "version": one.version,
            "origin": str(one.origin) if one.restored is None else f"{one.origin} of {one.restored}",
            "by": one.made_by,
            "at": format_moment(one.made_at),
            "why": one.why or "",
            "files": list(changed_names(before.get(one.version - 1), one)),
        }
        for one in found
    ]
    _tell(told, as_json)


@tables_app.command()
def add(path: FilesArgument, home: HomeOption, why: WhyOption = None) -> None:
    """Add a table and have it watched; what is wrong with it is refused."""
    from thirdcard.service.setup.table_check import find_table_file

    with _acting(home) as acts:
        _tell_made(acts.add_from(find_table_file(path), why))


@tables_app.command()
def change(table: TableArgument, path: FilesArgument, home: HomeOption, why: WhyOption = None) -> None:
    """Replace a table's whole set-up; a table that is watched takes it when its round is over."""
    from thirdcard.service.setup.table_check import find_table_file

    with _acting(home) as acts:
        _tell_made(acts.change_from(table, find_table_file(path), why))


@tables_app.command()
def restore(
    table: TableArgument,
    version: Annotated[int, typer.Argument(min=1, metavar="VERSION", help="Which one.")],
    home: HomeOption,
    why: WhyOption = None,
) -> None:
    """Take a change back: make an older version the one in force, as a new version."""
    with _acting(home) as acts:
        _tell_made(acts.restore(table, version, why))


@tables_app.command()
def get(
    table: TableArgument,
    home: HomeOption,
    out: Annotated[Path, typer.Option("--out", help="The folder that gets the files; must not be there yet.")],
    version: Annotated[
        int | None, typer.Option("--version", min=1, help="Which one.  [default: the one in force]")
    ] = None,
) -> None:
    """Write a version's files into a folder, to be changed there and sent back with `change`."""
    from thirdcard.service.tables.file_set import write_folder
    from thirdcard.service.tables.setups import SetupError, find_known, find_version, read_files

    if out.exists():
        raise SetupError(f"--out = {out}; must not be there yet")
    with _acting(home) as acts:
        acts.home.refuse_output(out, option="--out")
        with acts.database.reading() as session:
            known = find_known(session, table).setup if version is None else find_version(session, table, version)
        write_folder(out, read_files(acts.home, known), home=acts.home.folder)
    typer.echo(f"{table}: version {known.version} lies in {out}")


@tables_app.command()
def stop(table: TableArgument, home: HomeOption, why: WhyOption = None) -> None:
    """Watch a table no more, until it is started again."""
    with _acting(home) as acts:
        acts.stop(table, why)
    typer.echo(f"{table}: stopped")


@tables_app.command()
def start(table: TableArgument, home: HomeOption, why: WhyOption = None) -> None:
    """Watch a stopped table again."""
    with _acting(home) as acts:
        acts.start(table, why)
    typer.echo(f"{table}: watched")


@tables_app.command()
def reload(home: HomeOption) -> None:
    """Read the files in HOME/tables anew: what was changed by hand becomes a new version where nothing is wrong.

    Exit status 1 where something is wrong: that table goes on as it was.
    """
    with _acting(home) as acts:
        made = acts.reload()
    for one in made:
        _tell_made(one)
    if not made:
        typer.echo("Nothing has changed.")
    if any(one.version is None for one in made):
        raise typer.Exit(1)


@contextmanager
def _acting(home: Path) -> Iterator[TableActs]:
    from thirdcard.service.config.data_folder import Home
    from thirdcard.service.ports.clock import now_utc
    from thirdcard.service.tables.setups import SetupError
    from thirdcard.service.tables.table_acts import TableActs, WrongSetupError

    folder = Home(home)
    folder.make()
    database = folder.open_database(os.environ)
    try:
        yield TableActs(home=folder, database=database, now=now_utc, who=COMMAND_LINE)
    except WrongSetupError as error:
        for problem in error.problems:
            typer.echo(f"{problem.grade}: {problem}", err=True)
        raise SetupError(f"{len(error.problems)} wrong; nothing was changed") from error
    finally:
        database.close()


def _tell_made(made: Made) -> None:
    for problem in made.problems:
        typer.echo(f"{problem.grade}: {problem}", err=True)
    state = "stays as it was" if made.version is None else f"version {made.version}"
    typer.echo(f"{made.table_id}: {state}")


def _tell(told: list[dict[str, object]], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(told, ensure_ascii=False, indent=2))
        return
    for one in told:
        values = (", ".join(map(str, value)) if isinstance(value, list) else str(value) for value in one.values())
        typer.echo("  ".join(value for value in values if value))
