"""Find parts of a rulebook that contradict each other, can never apply, or cite no section."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from thirdcard.rules.game.words import GAME_BETS, Bet
from thirdcard.rules.rulebook.cases import BET, Case, choose, option_fact
from thirdcard.rules.rulebook.default_faults import LIMIT_FAULTS
from thirdcard.rules.rulebook.model import BurnCount, ClosingCase, Entitled, LimitKind, Rulebook
from thirdcard.rules.rulebook.yaml_reader import Report

Contradiction = tuple[str, str]
"""A place in the file, and the problem there."""


def find_contradictions(book: Rulebook, report: Report) -> None:
    """Report contradictions between sections of a rulebook that are each sound by themselves."""
    checks = (
        (_uncited, ("options", "exclusions")),
        (_unreachable, ("burn", "handling", "faults", "bets", "betting", "options")),
        (_uncovered, ("betting",)),
        (_unknown_bets, ("betting", "bets", "limits", "faults")),
        (_unmatched, ("burn", "betting", "limits", "faults", "last_round")),
        (_handling, ("styles", "handling", "options")),
        (_orders, ("faults",)),
    )
    for check, sections in checks:
        if report.is_sound(*sections):
            for place, what in check(book):
                report.add(place, what)


def _uncited(book: Rulebook) -> Iterator[Contradiction]:
    for i, option in enumerate(book.options):
        if option.rule is None:
            yield f"options[{i}].rule", f" = null; allowed: the section that lets the house elect {option.key}"
    for i, exclusion in enumerate(book.exclusions):
        if exclusion.rule is None:
            yield f"exclusions[{i}].rule", " = null; allowed: the section that excludes it"
    for i, demand in enumerate(book.demands):
        if demand.rule is None:
            yield f"demands[{i}].rule", " = null; allowed: the section that asks it"


def _unreachable(book: Rulebook) -> Iterator[Contradiction]:
    """Cases that can never apply, because an earlier case always applies first."""
    lists: dict[str, Sequence[Case]] = {"burn": book.burn, "handling": book.handling}
    lists |= {"devices": book.equipment.devices, "seats": book.equipment.seats}
    lists |= {f"faults.{code}": cases for code, cases in book.faults.items()}
    lists |= {f"bets.{bet}.cases": rule.cases for bet, rule in book.bets.items()}
    lists |= {f"bets.{bet}.commission": rule.commissions for bet, rule in book.bets.items()}
    for i, closing in enumerate(book.closings):
        bets = tuple(book.bets) if closing.bets is None else closing.bets
        if all(_goes_before(book.closings[:i], bet, closing) for bet in bets):
            yield (
                f"betting.closes[{i}]",
                ": earlier cases always go before it; allowed: a case that may apply to some bet",
            )
    for place, cases in lists.items():
        for i, case in enumerate(cases):
            if any(earlier.when <= case.when for earlier in cases[:i]):
                when = ", ".join(sorted(case.when)) or "nothing"
                yield f"{place}[{i}].when", f" = {when}; allowed: a case that no earlier one always goes before"


def _goes_before(earlier: Sequence[ClosingCase], bet: Bet, case: ClosingCase) -> bool:
    return any((one.bets is None or bet in one.bets) and one.when <= case.when for one in earlier)


def _uncovered(book: Rulebook) -> Iterator[Contradiction]:
    if not any(case.bets is None and not case.when for case in book.closings):
        yield "betting.closes", ": no case without conditions covers every bet; allowed: one with neither when nor bets"


def _unknown_bets(book: Rulebook) -> Iterator[Contradiction]:
    """Bets that the file names elsewhere and never defines."""
    known = dict.fromkeys((*book.bets, *GAME_BETS))
    named: list[tuple[str, frozenset[str]]] = [
        (f"betting.closes[{i}].bets", case.bets or frozenset()) for i, case in enumerate(book.closings)
    ]
    named += [(f"limits.own[{i}].bets", case.bets) for i, case in enumerate(book.limits.own)]
    named += [(f"bets.{bet}.fee.wagers", rule.fee.wagers) for bet, rule in book.bets.items() if rule.fee is not None]
    for code, cases in book.faults.items():
        facts = frozenset(fact for case in cases for fact in case.when)
        told = {fact.partition("=")[2] for fact in facts if fact.startswith(f"{BET}=")}
        named.append((f"faults.{code}.when", frozenset(told)))
    for place, bets in named:
        for bet in sorted(bets - known.keys()):
            yield place, f" = {bet}; allowed: {', '.join(known)}"


def _unmatched(book: Rulebook) -> Iterator[Contradiction]:
    """Faults whose order the rulebook does not give."""
    pairs: list[tuple[str, bool, str]] = [
        ("burn", any(case.count is not BurnCount.NONE for case in book.burn), "procedure.burn"),
        ("betting.call.rule", book.call_rule is not None, "procedure.no_call"),
        ("last_round.cut_depth", book.last_round.cut_depth is not None, "procedure.cut_depth"),
        ("last_round.announced", book.last_round.is_announced, "procedure.last_hand_unannounced"),
        ("first_card_face_up_is_found", book.first_card_face_up_is_found, "exposed_card.first_card"),
    ]
    pairs += [
        (f"limits.kinds {kind}", LimitKind(kind) in book.limits.kinds, code) for kind, code in LIMIT_FAULTS.items()
    ]
    for key, is_ordered, code in pairs:
        if code in book.faults and not is_ordered:
            yield f"faults.{code}", f" is given, though {key} is not there; allowed: both or neither"


def _handling(book: Rulebook) -> Iterator[Contradiction]:
    """Dealing styles that contradict the section on who may handle cards."""
    for name, style in book.styles.items():
        case = choose(book.handling, _defaults(book) | {option_fact("dealing_style", name)})
        if case is None or case.entitled is Entitled.UNSAID:
            continue
        if style.players_handle == (case.entitled is Entitled.NOBODY):
            yield (
                f"styles.{name}.players_handle",
                f" = {str(style.players_handle).lower()}; allowed: what handling says for it, "
                f"entitled = {case.entitled}",
            )


def _defaults(book: Rulebook) -> frozenset[str]:
    options = (option for option in book.options if option.key != "dealing_style")
    return frozenset(option_fact(option.key, option.values[0]) for option in options)


def _orders(book: Rulebook) -> Iterable[Contradiction]:
    """Orders to play a hand without wagers, in a rulebook that has no fault for chips on such a hand."""
    orders = [
        code for code, cases in book.faults.items() if any(one.remedy.action == "void_next_hand" for one in cases)
    ]
    if orders and "procedure.void_hand_wagered" not in book.faults:
        yield (
            f"faults.{orders[0]}",
            ": action = void_next_hand; allowed where procedure.void_hand_wagered is given",
        )
