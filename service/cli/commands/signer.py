"""`thirdcard signer`: the process that signs what the service sealed, run as another user."""

from __future__ import annotations

import logging
import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thirdcard.service.cli.commands.serve import HOME_HELP

if TYPE_CHECKING:
    from thirdcard.service.sealing.anchors import Anchoring
    from thirdcard.service.sealing.signer import Signer

signer_app = typer.Typer(help="Sign what the service sealed, as another user.", no_args_is_help=True)

KeyOption = Annotated[Path, typer.Option(help="The private key's file; its state lies beside it.")]
TokenOption = Annotated[
    str | None,
    typer.Option(
        "--pkcs11",
        help="On a token: pkcs11:token=LABEL;object=LABEL?module-path=FILE; its PIN in THIRDCARD_PKCS11_PIN.",
    ),
]
SocketOption = Annotated[Path, typer.Option(help="Where the signer listens: a Unix socket.")]


@signer_app.command("new-key")
def new_key_command(
    key: KeyOption,
    origin: Annotated[
        str, typer.Option(help="The log's name, never used before: casino.example/thirdcard, then .../thirdcard-2.")
    ],
    why: Annotated[
        str, typer.Option(help="Why a log begins; stands in its first checkpoint: lost key, restored backup.")
    ] = "first key",
    token: TokenOption = None,
) -> None:
    """Make a key and begin a new log with it: at first, after a key was lost, after an older backup was restored."""
    from thirdcard.service.ports.clock import now_utc
    from thirdcard.service.sealing.keys import new_key, public_path
    from thirdcard.service.sealing.signer import begin_state

    begin_state(key, new_key(key, origin, token), why, now_utc())
    typer.echo(f"{key} signs {origin}; give {public_path(key)} to whoever verifies, and keep a copy elsewhere.")


@signer_app.command("rotate")
def rotate(
    key: KeyOption,
    new: Annotated[Path, typer.Option(help="The new key's file; it is made.")],
    token: TokenOption = None,
) -> None:
    """Make the key that signs from now on; the old one signs that. The signer must be stopped."""
    from thirdcard.service.sealing.keys import public_path, state_path

    signer = _open_signer(key)
    signer.rotate(new, token)
    signer.close()
    state_path(key).rename(state_path(new))
    typer.echo(f"{new} signs from now on; give away {public_path(new)}, start the signer with it, and destroy {key}.")


@signer_app.command("run")
def run(
    key: KeyOption,
    socket: SocketOption,
    group: Annotated[str | None, typer.Option(help="The group that may ask: the service's.")] = None,
    anchor_folder: Annotated[
        Path | None, typer.Option(help="Where checkpoints are written too, each once; best not on this machine.")
    ] = None,
    tsa: Annotated[
        str | None, typer.Option(help="A time stamp authority's address (RFC 3161); needs --anchor-folder.")
    ] = None,
) -> None:
    """Sign until stopped; refuses whatever does not continue what was signed before."""
    import grp

    from thirdcard.service.sealing.signer_socket import SignerServer

    if tsa is not None and anchor_folder is None:
        raise typer.BadParameter("needs --anchor-folder: time stamps lie there.", param_hint="--tsa")
    try:
        number = None if group is None else grp.getgrnam(group).gr_gid
    except KeyError as error:
        raise typer.BadParameter(f"{group}: there is no such group.", param_hint="--group") from error
    logging.getLogger("thirdcard.service.sealing").setLevel(logging.INFO)
    signer = _open_signer(key)
    anchoring = None if anchor_folder is None else _open_anchoring(signer, anchor_folder, tsa)
    stamps = _no_stamp if anchoring is None else anchoring.newest_stamp
    with SignerServer(socket, signer, anchoring or _nothing, number, stamps) as server:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        typer.echo(f"Signs {signer.key.origin} at {socket}; {signer.newest} checkpoints, {signer.size} leaves.")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            typer.echo("Stopped.")
        finally:
            socket.unlink(missing_ok=True)


@signer_app.command("ask")
def ask(home: Annotated[Path, typer.Option(help=HOME_HELP)], socket: SocketOption) -> None:
    """Have all that is sealed signed now; the service does so by itself where house.yaml names a signer."""
    from thirdcard.service.config.data_folder import Home
    from thirdcard.service.sealing.signer_socket import SignerLink
    from thirdcard.service.sealing.tree import seal_heads

    database = Home(home).open_database(os.environ)
    try:
        size = seal_heads(database, SignerLink(socket))
    finally:
        database.close()
    typer.echo(f"Signed: {size} leaves.")


def _open_signer(key: Path) -> Signer:
    from thirdcard.service.ports.clock import now_utc
    from thirdcard.service.sealing.keys import load_key
    from thirdcard.service.sealing.signer import Signer, open_state

    return Signer(load_key(key), open_state(key), now_utc)


def _open_anchoring(signer: Signer, folder: Path, tsa: str | None) -> Anchoring:
    import time

    from thirdcard.service.sealing.anchors import Anchoring

    return Anchoring(signer, folder, tsa, time.monotonic)


def _nothing() -> None:
    """Stands for anchoring where there is none."""


def _no_stamp() -> None:
    """Stands for time stamps where there is no folder for them."""
