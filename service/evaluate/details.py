"""Detail tables: chips and authors, clean play, cards by condition."""

from __future__ import annotations

from collections.abc import Sequence

from thirdcard.service.evaluate.comparison import Comparison
from thirdcard.service.evaluate.conditions import Condition
from thirdcard.service.evaluate.matching import ratio
from thirdcard.service.evaluate.rates import ROUNDS_AN_HOUR
from thirdcard.service.evaluate.sheets import Sheet, percent, share_of
from thirdcard.service.watch.wording import duration


def detail_sheets(rows: Sequence[Comparison], whole: Comparison) -> list[Sheet]:
    """The detail tables that are not empty; `rows` are the recordings and their sum."""
    sheets = []
    if whole.chips.found:
        sheets.append(_chips_sheet(rows))
    if whole.clean.rounds:
        sheets.append(_clean_sheet(rows))
    if whole.conditions:
        sheets.append(_conditions_sheet(whole.conditions))
    return sheets


def _chips_sheet(rows: Sequence[Comparison]) -> Sheet:
    columns = (
        "recording", "changes found", "chips counted", "count right", "within one", "off by", "value reported",
        "value right", "between two values", "true value within", "how far apart", "whose hand: right", "unknown",
        "wrong",
    )  # fmt: skip
    return Sheet(title="Chips and hands", columns=columns, rows=tuple(_chips_row(each) for each in rows))


def _chips_row(each: Comparison) -> tuple[str, ...]:
    chips = each.chips
    off, apart = ratio(chips.off, chips.counted), ratio(chips.width, chips.spanned)
    return (
        each.name,
        share_of(chips.found, each.wagers.true),
        f"{chips.counted}",
        percent(ratio(chips.exact, chips.counted)),
        percent(ratio(chips.within_one, chips.counted)),
        "" if off is None else f"{off:.2f}",
        f"{chips.valued}",
        percent(ratio(chips.value_exact, chips.valued)),
        f"{chips.spanned}",
        percent(ratio(chips.held, chips.spanned)),
        "" if apart is None else f"{apart:.1f} times its value",
        share_of(chips.by_right, chips.found),
        f"{chips.by_unknown}",
        f"{chips.by_wrong}",
    )


def _clean_sheet(rows: Sequence[Comparison]) -> Sheet:
    columns = ("clean recording", "length", "rounds", f"table-hours ({ROUNDS_AN_HOUR} rounds)", "false alerts",
               "an hour", "95 % of cases")  # fmt: skip
    clean = [each for each in rows if each.clean.rounds]
    return Sheet(title="Clean play", columns=columns, rows=tuple(_clean_row(each) for each in clean))


def _clean_row(each: Comparison) -> tuple[str, ...]:
    rate, interval = each.clean.per_hour, each.clean.interval
    return (
        each.name,
        duration(each.clean_s),
        f"{each.clean.rounds}",
        f"{each.clean.hours:.2f}",
        f"{each.clean.count}",
        "" if rate is None else f"{rate:.2f}",
        "" if interval is None else f"{interval[0]:.2f} to {interval[1]:.2f}",
    )


def _conditions_sheet(conditions: Sequence[Condition]) -> Sheet:
    columns = ("condition", "cards", "right", "wrong", "unread", "missed", "single looks", "right", "sure (99 %)",
               "sure and wrong")  # fmt: skip
    return Sheet(title="Cards by condition", columns=columns, rows=tuple(_condition_row(each) for each in conditions))


def _condition_row(each: Condition) -> tuple[str, ...]:
    cards, looks = each.cards, each.looks
    return (
        f"{each.kind}: {each.value}",
        f"{cards.total}",
        percent(ratio(cards.right, cards.total)),
        f"{len(cards.wrong)}",
        f"{cards.unread}",
        f"{cards.missed}",
        f"{looks.total}" if looks.total else "",
        percent(ratio(looks.right, looks.total)),
        percent(ratio(looks.sure, looks.total)),
        f"{looks.sure_wrong}" if looks.total else "",
    )
