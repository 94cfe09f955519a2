"""Write comparisons as tables: Markdown for the documentation, JSON for programs.

The same rows go to the terminal. Each figure is given with the number that it is counted over.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from thirdcard.service.evaluate.camera_faults import camera_faults_sheet
from thirdcard.service.evaluate.comparison import Comparison, combine
from thirdcard.service.evaluate.details import detail_sheets
from thirdcard.service.evaluate.matching import Matching
from thirdcard.service.evaluate.reliability_sheets import reliability_json, reliability_sheets
from thirdcard.service.evaluate.sheets import Sheet, percent, share_of
from thirdcard.service.evaluate.spreads import spreads_sheet
from thirdcard.service.watch.wording import clock, duration

SURE = 0.99


def sheets_of(comparisons: Sequence[Comparison]) -> list[Sheet]:
    """The tables: by recording, by code, and a list of all errors."""
    whole = combine(comparisons)
    rows = list(comparisons) if len(comparisons) < 2 else [*comparisons, whole]
    sheets = [
        _recordings_sheet(rows),
        _codes_sheet(whole.incidents),
        *detail_sheets(rows, whole),
        *reliability_sheets(whole.predicted),
    ]
    blind = [(each.name, fault) for each in comparisons for fault in each.camera_faults]
    sheets += [camera_faults_sheet(blind)] if blind else []
    spread = [(each.name, each.spreads) for each in comparisons if each.spreads.lays or each.spreads.false]
    sheets += [spreads_sheet(spread)] if spread else []
    faults = [*_alert_faults(comparisons), *_card_faults(comparisons)]
    if faults:
        sheets.append(
            Sheet(title="What went wrong", columns=("recording", "time", "what", "details"), rows=tuple(faults))
        )
    return sheets


def format_markdown(sheets: Sequence[Sheet], *, level: int = 3) -> str:
    """The tables as Markdown."""
    parts = []
    for sheet in sheets:
        rule = ["---", *("---:" for _ in sheet.columns[1:])] if sheet.title != "What went wrong" else ["---"] * 4
        lines = [
            f"{'#' * level} {sheet.title}",
            "",
            _row(sheet.columns),
            _row(rule),
            *(_row(row) for row in sheet.rows),
        ]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def put_section(path: Path, name: str, text: str) -> None:
    """Write `text` between the file's marks of that name; a missing file or mark is created."""
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    block = f"{begin}\n{text.strip()}\n{end}"
    old = path.read_text(encoding="utf-8") if path.is_file() else ""
    if begin in old and end in old:
        before, rest = old.split(begin, 1)
        new = f"{before}{block}{rest.split(end, 1)[1]}"
    else:
        new = f"{old.rstrip()}\n\n{block}\n".lstrip("\n")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(new, encoding="utf-8")


def format_json(comparison: Comparison) -> dict[str, object]:
    """One recording's figures as a mapping."""
    cards, wagers = comparison.cards, comparison.wagers
    return {
        "recording": comparison.name,
        "length_s": round(comparison.length_s, 2),
        "unseen_s": round(comparison.unseen_s, 2),
        "frames_per_s": None if comparison.frames_per_s is None else round(comparison.frames_per_s, 1),
        "alerts": _matching_json(comparison.incidents),
        "codes": {code: _matching_json(comparison.incidents.of(code)) for code in comparison.incidents.codes},
        "cards": {
            "shown": cards.total,
            "right": cards.right,
            "unread": cards.unread,
            "missed": cards.missed,
            "extra": cards.extra,
            "wrong": [
                {"t": each.t, "truth": each.truth, "said": each.said, "confidence": each.confidence}
                for each in cards.wrong
            ],
        },
        "rounds": {"true": comparison.rounds, "exact": comparison.rounds_exact},
        "wager_changes": {
            "true": wagers.true,
            "found": wagers.found,
            "false": wagers.false,
            "by_right": wagers.by_right,
        },
        "chips": dataclasses.asdict(comparison.chips),
        "spread": dataclasses.asdict(comparison.spreads),
        "camera_faults": [dataclasses.asdict(fault) for fault in comparison.camera_faults],
        "clean": _clean_json(comparison),
        "reliability": reliability_json(comparison.predicted),
        "conditions": [
            {
                "kind": each.kind,
                "value": each.value,
                "cards": each.cards.total,
                "right": each.cards.right,
                "wrong": len(each.cards.wrong),
                "looks": dataclasses.asdict(each.looks),
            }
            for each in comparison.conditions
        ],
    }


def _clean_json(comparison: Comparison) -> dict[str, object]:
    clean = comparison.clean
    return {
        "rounds": clean.rounds,
        "table_hours": clean.hours,
        "false": clean.count,
        "per_hour": clean.per_hour,
        "interval": clean.interval,
    }


def _matching_json(matching: Matching) -> dict[str, object]:
    return {
        "true": matching.n_true,
        "found": len(matching.hits),
        "false": len(matching.false),
        "tolerated": len(matching.tolerated),
        "precision": matching.precision,
        "recall": matching.recall,
        "delay_median_s": matching.median_delay_s,
        "delays_s": [round(delay, 2) for delay in matching.delays_s],
    }


def _recordings_sheet(rows: Sequence[Comparison]) -> Sheet:
    columns = (
        "recording", "length", "incidents found", "false alerts", "cards right", "wrong", "unread", "missed",
        "rounds exact", "wager changes found", "could not see", "frames/s",
    )  # fmt: skip
    return Sheet(title="By recording", columns=columns, rows=tuple(_recording_row(each) for each in rows))


def _recording_row(each: Comparison) -> tuple[str, ...]:
    cards, alerts, wagers = each.cards, each.incidents, each.wagers
    sure_wrong = sum((card.confidence or 0.0) >= SURE for card in cards.wrong)
    wrong = f"{len(cards.wrong)}" + (f" ({sure_wrong} sure)" if sure_wrong else "")
    return (
        each.name,
        duration(each.length_s),
        share_of(len(alerts.hits), alerts.n_true),
        f"{len(alerts.false)}",
        share_of(cards.right, cards.total),
        wrong,
        f"{cards.unread}",
        f"{cards.missed}",
        share_of(each.rounds_exact, each.rounds),
        share_of(wagers.found, wagers.true) + f", {wagers.false} false",
        f"{each.unseen_s:.0f} s",
        "" if each.frames_per_s is None else f"{each.frames_per_s:.0f}",
    )


def _codes_sheet(matching: Matching) -> Sheet:
    columns = ("code", "true", "found", "false", "tolerated", "precision", "recall", "delay: median", "longest")
    rows = [_code_row(code, matching.of(code)) for code in matching.codes]
    return Sheet(title="By code", columns=columns, rows=(*rows, _code_row("all", matching)))


def _code_row(name: str, matching: Matching) -> tuple[str, ...]:
    delays = matching.delays_s
    return (
        name,
        f"{matching.n_true}",
        f"{len(matching.hits)}",
        f"{len(matching.false)}",
        f"{len(matching.tolerated)}",
        percent(matching.precision),
        percent(matching.recall),
        f"{matching.median_delay_s:.1f} s" if matching.median_delay_s is not None else "",
        f"{max(delays):.1f} s" if delays else "",
    )


def _alert_faults(comparisons: Sequence[Comparison]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for each in comparisons:
        for what, incidents in (("missed", each.incidents.missed), ("false", each.incidents.false)):
            rows += [(each.name, clock(one.t), f"{what} {one.code}", one.message) for one in incidents]
    return rows


def _card_faults(comparisons: Sequence[Comparison]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for each in comparisons:
        for card in each.cards.wrong:
            sure = "" if card.confidence is None else f" at {100 * card.confidence:.1f} %"
            rows.append(
                (each.name, clock(card.t), "wrong card", f"{card.truth or 'face down'} read as {card.said}{sure}")
            )
    return rows


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
