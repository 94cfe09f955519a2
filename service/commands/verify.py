"""`thirdcard verify`: whether logs, alerts, the audit and the evidence are as they were written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from service.commands.serve import HOME_HELP


def verify(home: Annotated[Path, typer.Option(help=HOME_HELP)]) -> None:
    """Check every chain and every file of evidence.

    Exit status 1 names the first that was changed, lost or slipped in.
    """
    from service.home import Home
    from service.store.verification import verify_chains, verify_evidence

    folder = Home(home)
    database = folder.open_database(os.environ)
    try:
        with database.reading() as session:
            faults = [fault for fault in (verify_chains(session), verify_evidence(session, folder.evidence)) if fault]
            for fault in faults:
                typer.echo(fault)
            if faults:
                raise typer.Exit(1)
    finally:
        database.close()
    typer.echo("All logs, alerts, acts and evidence are as they were written.")
