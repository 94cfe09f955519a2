"""Refuse a rulebook whose parts contradict each other, hold what can never apply, or cite nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from thirdcard.rules.errors import RulebookError
from thirdcard.rules.game.words import Bet
from thirdcard.rules.rulebook.cases import Case, choose, option_fact
from thirdcard.rules.rulebook.model import AfterCutCard, BurnCount, ClosingCase, Entitled, LimitKind, Rulebook

_LIMIT_FAULTS = {
    LimitKind.MINIMUM: "limit.below_minimum",
    LimitKind.MAXIMUM: "limit.above_maximum",
    LimitKind.DIFFERENTIAL: "limit.differential",
}


def check_rulebook(book: Rulebook, name: str) -> None:
    """Look for contradictions.

    Args:
        name: the file's name, for messages.

    Raises:
        RulebookError: the first one; names file, key, value and what is allowed.
    """
    for problem in (*_uncited(book), *_unreachable(book), *_unmatched(book), *_handling(book), *_orders(book)):
        raise RulebookError(f"{name}: {problem}")


def _uncited(book: Rulebook) -> Iterator[str]:
    for i, option in enumerate(book.options):
        if option.rule is None:
            yield f"options[{i}].rule = null; allowed: the section that lets the house elect {option.key}"
    for i, exclusion in enumerate(book.exclusions):
        if exclusion.rule is None:
            yield f"exclusions[{i}].rule = null; allowed: the section that excludes it"
    for i, demand in enumerate(book.demands):
        if demand.rule is None:
            yield f"demands[{i}].rule = null; allowed: the section that asks it"


def _unreachable(book: Rulebook) -> Iterator[str]:
    """Cases that an earlier one always goes before."""
    lists: dict[str, Sequence[Case]] = {"burn": book.burn, "handling": book.handling}
    lists |= {"devices": book.equipment.devices, "seats": book.equipment.seats}
    lists |= {f"faults.{code}": cases for code, cases in book.faults.items()}
    lists |= {f"bets.{bet}.cases": rule.cases for bet, rule in book.bets.items()}
    for i, closing in enumerate(book.closings):
        if all(_goes_before(book.closings[:i], bet, closing) for bet in closing.bets):
            yield f"betting.closes[{i}]: earlier cases always go before it; allowed: a case that may apply to some bet"
    for place, cases in lists.items():
        for i, case in enumerate(cases):
            if any(earlier.when <= case.when for earlier in cases[:i]):
                when = ", ".join(sorted(case.when)) or "nothing"
                yield f"{place}[{i}].when = {when}; allowed: a case that no earlier one always goes before"


def _goes_before(earlier: Sequence[ClosingCase], bet: Bet, case: ClosingCase) -> bool:
    return any(bet in one.bets and one.when <= case.when for one in earlier)


def _unmatched(book: Rulebook) -> Iterator[str]:
    """Faults without the order that they break, and orders without their fault."""
    pairs: list[tuple[str, bool, str]] = [
        ("burn", any(case.count is not BurnCount.NONE for case in book.burn), "procedure.burn"),
        ("betting.call.rule", book.call_rule is not None, "procedure.no_call"),
        ("last_round.cut_depth", book.last_round.cut_depth is not None, "procedure.cut_depth"),
        ("last_round.announced", book.last_round.is_announced, "procedure.last_hand_unannounced"),
        ("first_card_face_up_is_found", book.first_card_face_up_is_found, "exposed_card.first_card"),
    ]
    pairs += [(f"limits.kinds {kind}", kind in book.limits.kinds, code) for kind, code in _LIMIT_FAULTS.items()]
    for key, is_ordered, code in pairs:
        if is_ordered != (code in book.faults):
            there, missing = ("is there", "is missing") if is_ordered else ("is not there", "is given")
            yield f"faults: {code} {missing}, though {key} {there}; allowed: both or neither"
    if book.last_round.after_cut_card is not AfterCutCard.SILENT and "misdeal.after_last_round" not in book.faults:
        yield "faults: misdeal.after_last_round is missing, though last_round says when it is; allowed: both"


def _handling(book: Rulebook) -> Iterator[str]:
    """Styles whose players handle the cards though nobody is entitled, or the other way round."""
    for name, style in book.styles.items():
        case = choose(book.handling, _defaults(book) | {option_fact("dealing_style", name)})
        if case is None or case.entitled is Entitled.UNSAID:
            continue
        if style.players_handle == (case.entitled is Entitled.NOBODY):
            yield (
                f"styles.{name}.players_handle = {str(style.players_handle).lower()}; allowed: "
                f"what handling says for it, entitled = {case.entitled}"
            )


def _defaults(book: Rulebook) -> frozenset[str]:
    options = (option for option in book.options if option.key != "dealing_style")
    return frozenset(option_fact(option.key, option.values[0]) for option in options)


def _orders(book: Rulebook) -> Iterable[str]:
    """Hands ordered without wagers in a rulebook that says nothing of chips on them."""
    orders = [
        code for code, cases in book.faults.items() if any(one.remedy.action == "void_next_hand" for one in cases)
    ]
    if orders and "procedure.void_hand_wagered" not in book.faults:
        yield f"faults.{orders[0]}: action = void_next_hand; allowed where procedure.void_hand_wagered is given"
