"""`thirdcard verify`: whether chains, the rows of the database, set-ups and evidence are as they were recorded."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thirdcard.service.cli.commands.serve import HOME_HELP

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from thirdcard.service.config.data_folder import Home
    from thirdcard.service.sealing.proof import Proof


UNREADABLE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What a value raises that no version of the service writes. Such a value must not end the command: it is a fault."""
IN_ORDER = "All logs, alerts, decisions, cases, people, tables, acts and evidence are as they were recorded."


def verify(
    home: Annotated[Path, typer.Option(help=HOME_HELP)],
    key: Annotated[
        list[Path] | None, typer.Option(help="A signer's public key: its signatures are checked; may be repeated.")
    ] = None,
    anchors: Annotated[
        list[Path] | None,
        typer.Option(
            help="The folder of anchors, or files of it; what they cover must be in the database; repeatable."
        ),
    ] = None,
    tsa_root: Annotated[
        list[Path] | None,
        typer.Option(help="The root certificate of a time stamp authority, PEM: time stamps are checked; repeatable."),
    ] = None,
) -> None:
    """Check every chain, every row of the database, every set-up and every file of evidence.

    Exit status 1 names what was changed, lost or slipped in; 2 names a key or an anchor that cannot be used.
    What is signed and anchored until when is said, and what is not.
    """
    from thirdcard.service.config.data_folder import Home
    from thirdcard.service.sealing.anchors import load_anchors, load_roots
    from thirdcard.service.sealing.keys import load_verifier
    from thirdcard.service.sealing.proof import Proof, prove
    from thirdcard.service.store.foreign_values import read_any_text

    if anchors and not key:
        raise typer.BadParameter(
            "needs --key: without a key nothing says whose checkpoints they are.", param_hint="--anchors"
        )
    if tsa_root and not anchors:
        raise typer.BadParameter("needs --anchors: time stamps lie there.", param_hint="--tsa-root")
    keys = [load_verifier(path) for path in key or ()]
    roots = load_roots(tsa_root or ())
    found = [anchor for place in anchors or () for anchor in load_anchors(place, roots)]
    folder = Home(home)
    database = folder.open_database(os.environ)
    try:
        with database.reading() as session:
            read_any_text(session)
            try:
                proof = prove(session, keys, found)
            except UNREADABLE as error:
                proof = Proof(fault=_unreadable("the signed log", error))
            faults = _faults(session, folder, proof)
            said = [*proof.said, *_told("settings and set-ups", lambda: [*_unproven(session, folder)])]
    finally:
        database.close()
    for line in faults or [IN_ORDER]:
        typer.echo(line)
    for line in said:
        typer.echo(line)
    if faults:
        raise typer.Exit(1)


def _faults(session: Session, folder: Home, proof: Proof) -> Sequence[str]:
    from thirdcard.service.corrections.verification import verify_corrections
    from thirdcard.service.store.blob_store import EvidenceStore
    from thirdcard.service.store.foreign_values import foreign_values
    from thirdcard.service.store.row_verification import verify_rows
    from thirdcard.service.store.verification import verify_chains, verify_evidence
    from thirdcard.service.tables.setup_verification import verify_setups

    evidence = EvidenceStore.of(folder.evidence, os.environ)
    checks: dict[str, Callable[[], str | Sequence[str] | None]] = {
        "the signed log": lambda: proof.fault,
        "the values of the database": lambda: foreign_values(session),
        "the chains": lambda: verify_chains(session, proof.chains(), proof.vouched),
        "the rows": lambda: verify_rows(session),
        "the evidence": lambda: verify_evidence(session, evidence),
        "the corrections": lambda: verify_corrections(session, folder.evidence),
        "the set-ups": lambda: verify_setups(session, folder),
    }
    return [fault for what, check in checks.items() for fault in _told(what, check)]


def _told(what: str, check: Callable[[], str | Sequence[str] | None]) -> Iterator[str]:
    """The faults that a check finds; a value that it cannot read is one too."""
    try:
        told = check()
    except UNREADABLE as error:
        told = _unreadable(what, error)
    yield from [told] if isinstance(told, str) else told or ()


def _unreadable(what: str, error: Exception) -> str:
    return f"{what}: cannot be compared, since a value cannot be read: {error}"


def _unproven(session: Session, folder: Home) -> Iterator[str]:
    """Things that are not faults, but that nothing proves."""
    from thirdcard.service.config.settings_record import changed_settings
    from thirdcard.service.store.row_verification import taken_over_at
    from thirdcard.service.tables.setup_verification import unread_changes

    moment = taken_over_at(session)
    if moment is not None:
        when = f"{moment:%Y-%m-%d %H:%M:%S} UTC"
        yield f"Rows that are older than {when} were recorded then as they stood: what they held before is unrecorded."
    changed = changed_settings(session, folder.folder)
    if changed is not None and changed[1]:
        names = ", ".join(changed[1])
        yield f"Settings that were changed since the service read them at {changed[0]:%Y-%m-%d %H:%M:%S} UTC: {names}."
    yield from unread_changes(session, folder)
