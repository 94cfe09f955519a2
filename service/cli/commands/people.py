"""`thirdcard user` and `thirdcard token`: who may come in."""

from __future__ import annotations

import getpass
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thirdcard.service.cli.commands.serve import HOME_HELP

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

user_app = typer.Typer(help="Users of the surveillance room's service.", no_args_is_help=True)
token_app = typer.Typer(help="Tokens with which programs and devices use the service.", no_args_is_help=True)

HomeOption = Annotated[Path, typer.Option(help=HOME_HELP)]
_RANKS = "viewer, operator, supervisor or admin; each may what those before may."
RoleOption = Annotated[str, typer.Option(help=_RANKS)]
TokenRoleOption = Annotated[
    str, typer.Option(help=f"device: it may send signals of its tables and see nothing; else {_RANKS}")
]
TablesOption = Annotated[list[str] | None, typer.Option("--table", help="Only this table; may be repeated.")]
COMMAND_LINE = "command line"


@user_app.command("add")
def add_user(
    name: Annotated[str, typer.Argument(help="The user's name.")],
    role: RoleOption,
    home: HomeOption,
    table: TablesOption = None,
) -> None:
    """Add a user; the password is asked, or read from standard input."""
    from thirdcard.service.ports.clock import now_utc
    from thirdcard.service.store import audit, people

    password = _read_password(name)
    with _writing(home) as session:
        people.add_user(session, name, role, password, now=now_utc(), tables=table)
        audit.note(session, COMMAND_LINE, "user.added", f"user:{name}", at=now_utc(), role=role)
    typer.echo(f"{name} may sign in as {role}.")


@user_app.command("password")
def change_password(name: Annotated[str, typer.Argument(help="The user's name.")], home: HomeOption) -> None:
    """Give a user another password; his browsers are signed out."""
    from thirdcard.service.ports.clock import now_utc
    from thirdcard.service.store import audit, people

    password = _read_password(name)
    with _writing(home) as session:
        people.set_password(session, name, password)
        audit.note(session, COMMAND_LINE, "user.password", f"user:{name}", at=now_utc())
    typer.echo(f"{name} has another password.")


@token_app.command("add")
def add_token(
    name: Annotated[str, typer.Argument(help="What the token is for: shoe-7, reporting.")],
    role: TokenRoleOption,
    home: HomeOption,
    table: TablesOption = None,
    days: Annotated[
        int | None, typer.Option(min=1, help="It holds for so many days.  [default: until it is switched off]")
    ] = None,
) -> None:
    """Add a token and print it alone on the last line. It is never shown again."""
    from thirdcard.service.ports.clock import now_utc
    from thirdcard.service.store import audit, people

    with _writing(home) as session:
        token = people.add_token(session, name, role, now=now_utc(), tables=table, days=days)
        audit.note(session, COMMAND_LINE, "token.added", f"token:{name}", at=now_utc(), role=role, days=days)
    typer.echo("Send it as `Authorization: Bearer TOKEN`. It is not shown again:", err=True)
    typer.echo(token)


@contextmanager
def _writing(home: Path) -> Iterator[Session]:
    from thirdcard.service.config.data_folder import Home

    folder = Home(home)
    folder.make()
    database = folder.open_database(os.environ)
    try:
        with database.writing() as session:
            yield session
    finally:
        database.close()


def _read_password(name: str) -> str:
    """The password from the keyboard, hidden and typed twice; else from the first line of standard input."""
    from thirdcard.service.store.people import PeopleError, check_password

    if not sys.stdin.isatty():
        password = sys.stdin.readline().rstrip("\r\n")
    else:
        password = getpass.getpass(f"Password of {name}: ")
        if getpass.getpass("Once more: ") != password:
            raise PeopleError("password: the two are not the same")
    check_password(password)
    return password
