"""`thirdcard verify`: whether logs, alerts, corrections, the audit and the evidence are as they were written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from thirdcard.service.cli.commands.serve import HOME_HELP


def verify(home: Annotated[Path, typer.Option(help=HOME_HELP)]) -> None:
    """Check every chain and every file of evidence.

    Exit status 1 names the first that was changed, lost or slipped in.
    """
    from thirdcard.service.config.data_folder import Home
    from thirdcard.service.corrections.verification import verify_corrections
    from thirdcard.service.store.blob_store import EvidenceStore
    from thirdcard.service.store.verification import verify_chains, verify_evidence

    folder = Home(home)
    store = EvidenceStore.of(folder.evidence, os.environ)
    database = folder.open_database(os.environ)
    try:
        with database.reading() as session:
            told = (
                verify_chains(session),
                verify_evidence(session, store),
                verify_corrections(session, folder.evidence),
            )
            faults = [fault for fault in told if fault]
            for fault in faults:
                typer.echo(fault)
            if faults:
                raise typer.Exit(1)
    finally:
        database.close()
    typer.echo("All logs, alerts, corrections, acts and evidence are as they were written.")
