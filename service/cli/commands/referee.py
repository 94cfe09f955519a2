"""`thirdcard referee`: a table log in, alerts out."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from thirdcard.rules.errors import LogError
from thirdcard.service.ports.errors import ServiceError

if TYPE_CHECKING:
    from thirdcard.rules.belief.belief import Belief
    from thirdcard.rules.findings.alerts import Alert
    from thirdcard.rules.referee import Judgement
    from thirdcard.service.cli.commands.rulebook_arguments import RulebookChoice


class LogFileError(ServiceError):
    """The table log cannot be judged."""


def referee(
    events: Annotated[Path, typer.Argument(metavar="EVENTS.jsonl", help="A table log; - reads standard input.")],
    table: Annotated[
        Path | None, typer.Option(help="The table's table.yaml: rulebook, options, limits, chips.")
    ] = None,
    rulebook: Annotated[
        str | None, typer.Option(help="A rulebook's id, or the path of its file, instead of --table.")
    ] = None,
    option: Annotated[list[str] | None, typer.Option(help="KEY=VALUE that the house elected; may be repeated.")] = None,
    decks: Annotated[int | None, typer.Option(min=1, max=16, help="Decks in the shoe.  [default: 8]")] = None,
    rounds: Annotated[Path | None, typer.Option(help="Write round records to this file.")] = None,
) -> None:
    """Judge a table log: print each alert as a JSON line.

    The log's form is in docs/formats.md. No video and no model is needed.
    """
    from thirdcard.rules.log.reader import read_lines, read_log
    from thirdcard.service.cli.commands.rulebook_arguments import choose_rulebook
    from thirdcard.service.config.output_files import STANDARD_INPUT, Input, refuse_standard_output, written

    choice = choose_rulebook(table, rulebook, option or [], decks)
    judge = build_belief(choice)
    pending: list[Alert] = []
    read: list[Input] = [STANDARD_INPUT if str(events) == "-" else events, *choice.files]
    if Path(choice.rulebook).is_file():
        read.append(Path(choice.rulebook))
    refuse_standard_output(read)
    with ExitStack() as stack:
        lines = stack.enter_context(_open_log(events))
        records = None
        if rounds is not None:
            draft = stack.enter_context(written(rounds, option="--rounds", inputs=read))
            records = stack.enter_context(draft.open("w", encoding="utf-8"))
        try:
            for event in read_log(read_lines(lines), warn=_warn):
                pending = _print(judge.observe(event), records, pending, is_held=judge.sight.is_seen)
        except LogError as error:
            raise LogFileError(f"{events}: {error}") from error
        _print(judge.finish(), records, pending, is_held=False)


def build_belief(choice: RulebookChoice) -> Belief:
    """The belief for the chosen rulebook and options.

    Raises:
        RulesError: The rulebook or an option cannot be used; names the place.
    """
    from thirdcard.rules.referee import Referee
    from thirdcard.rules.rulebook.equipment import check_fees, check_shoe
    from thirdcard.rules.rulebook.load import elect, load_rulebook
    from thirdcard.service.interpretation.alert_policy import AlertPolicy, belief_of

    rules = elect(load_rulebook(choice.rulebook), choice.options)
    minimum = (choice.limits or {}).get("minimum")
    if not choice.is_drill:
        check_shoe(rules, decks=choice.decks, device=choice.device)
    check_fees(rules, minimum if isinstance(minimum, int) else None)
    judge = Referee(
        rules,
        decks=choice.decks,
        device=choice.device,
        limits=choice.limits or {},
        chips=choice.chips,
    )
    return belief_of(judge, AlertPolicy(**choice.alerts.model_dump()))


@contextmanager
def _open_log(path: Path) -> Iterator[TextIO]:
    from thirdcard.rules.log.reader import text_of

    if str(path) == "-":
        lines = text_of(sys.stdin.buffer)
        yield lines
        lines.detach()
        return
    with text_of(path.open("rb")) as lines:
        yield lines


def _print(judgement: Judgement, records: TextIO | None, pending: list[Alert], *, is_held: bool) -> list[Alert]:
    """Print what is certain; returns the alerts of a running round that later lines may still withdraw."""
    if not judgement.alerts and not judgement.rounds and not judgement.withdrawn and (is_held or not pending):
        return pending
    from thirdcard.rules.findings.alerts import format_alert
    from thirdcard.rules.round.records import format_round

    pending = [alert for alert in pending if not any(map(alert.is_same_as, judgement.withdrawn))]
    pending += judgement.alerts
    if is_held and not judgement.rounds:
        return pending
    for alert in pending:
        sys.stdout.write(json.dumps(format_alert(alert), ensure_ascii=False) + "\n")
    if records is not None:
        for record in judgement.rounds:
            records.write(json.dumps(format_round(record), ensure_ascii=False) + "\n")
    return []


def _warn(text: str) -> None:
    print(f"thirdcard: warning: {text}", file=sys.stderr)
