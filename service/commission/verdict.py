"""Decide whether a table is fit to be watched: fit, fit with limits (some codes are switched off), or not fit, and why.

Limits protect dealers: faults that cannot be seen well enough are not reported at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from thirdcard.service.commission.consistency import OF_FACES, OF_PLACES
from thirdcard.service.commission.measures import TableMeasures, percent
from thirdcard.service.setup.camera_grade import LEAST_PX_PER_MM, READABLE_PX_PER_MM
from thirdcard.service.setup.problems import Grade, SetupProblem

LEAST_CARDS, LEAST_ROUNDS = 12, 3
"""The least data for a verdict: with 12 cards the share read with certainty is known to some 25 percentage points."""
FIT_SHARE, LEAST_SHARE = 0.6, 0.3
"""Bounds of the share of open cards read with certainty, measured on the recordings of `card_error.yaml`: above the
first one card in 130 was wrong, unread or not found, between the two one in 13, below the second six in ten."""
FIT_ERROR, MOST_ERROR = 0.02, 0.10
"""Bounds of the upper end of the error of cards read with certainty. A round has five cards: at 2 % one round in ten
may contain a wrong one, at 10 % two in five."""
MOST_FAILED = 0.15
"""The largest upper end of the share of cards read wrongly, not read or not found: one in a round of five or six."""
FIT_BLIND, MOST_BLIND = 0.05, 0.5
"""Bounds of the unseen share of time; one minute in twenty hides two rounds in an hour."""
STRANGE_DECK = 0.6
"""Below this familiarity the reader's repeated readings of a card count less (`KNOWN_SHARE` in `label_fusion`)."""
MOST_CONTRADICT = 0.34
"""The share of rounds that contradict themselves without a confident finding against the dealer: from one in three on
the set-up is wrong."""
SURE_OF_DEALER = 0.95
"""The confidence of an alert."""
LEAST_COUNTED = 0.25
"""The least share of wager changes with counted chips: the same recordings have 34 % and more."""
MANY_ALERTS, MANY_SHARE = 3, 0.5
"""A fault that is found so often, and in so large a share of the rounds, is rarely the dealer's
(`hint_after_rounds`)."""

CARD_CODES = (
    "misdeal.third_card_not_due", "misdeal.third_card_missing", "misdeal.wrong_result", "misdeal.foreign_card",
    "exposed_card.excess", "procedure.sequence", "payout.loser_paid", "payout.winner_unpaid", "payout.loser_kept",
    "payout.push_taken", "payout.wrong_amount",
)  # fmt: skip
"""Codes that depend on faces."""
PLACE_CODES = ("misdeal.order", "misdeal.extra_card", "misdeal.short_hand", "misdeal.simultaneous")
"""Codes that depend on the number and order of the cards in each hand."""
AMOUNT_CODES = (
    "limit.below_minimum", "limit.above_maximum", "limit.differential", "payout.wrong_amount", "late_bet.increased",
    "late_bet.reduced",
)  # fmt: skip
"""Codes that depend on the number of chips on an area."""


ROUNDS_AN_ERROR, TIMES_OFTENER = 200, 5
"""A dealing error happens in one of so many rounds (`rules/belief/priors.yaml`). A film with five times as many, or a
short one with a single alert, may contain cards that do not exist: in a dark and noisy film one was detected falsely,
and the referee was 99 % confident of a dealer's error (docs/accuracy.md). A person who looks at the picture notices it.
"""


class Fitness(StrEnum):
    """Whether a table is fit to be watched."""

    FIT = "fit"
    LIMITS = "fit with limits"
    NOT_FIT = "not fit"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableVerdict:
    """The verdict on a table."""

    fitness: Fitness
    reasons: tuple[str, ...]
    """Why it is not fit, or fit only with limits; sentences."""
    off: Mapping[str, str]
    """Codes to switch off, each with the reason."""


def judge_table(seen: TableMeasures, problems: Sequence[SetupProblem]) -> TableVerdict:
    """Judge a table by its measurements and by the problems that `thirdcard check` finds."""
    against = [*_against_setup(problems), *_against_film(seen), *_against_cards(seen)]
    if against:
        return TableVerdict(fitness=Fitness.NOT_FIT, reasons=tuple(against), off={})
    limits = [*_card_limits(seen), *_place_limits(seen), *_chip_limits(seen), *_alert_limits(seen)]
    off = {code: why for codes, why in reversed(limits) for code in codes}
    reasons = [*dict.fromkeys(why for _, why in limits), *_notes(seen)]
    fitness = Fitness.LIMITS if off else Fitness.FIT
    return TableVerdict(fitness=fitness, reasons=tuple(reasons), off=dict(sorted(off.items())))


def _against_setup(problems: Sequence[SetupProblem]) -> Iterator[str]:
    yield from (f"{problem}." for problem in problems if problem.grade is Grade.WRONG)


def _against_film(seen: TableMeasures) -> Iterator[str]:
    blind = seen.unseen_s / seen.duration_s if seen.duration_s else 1.0
    if blind > MOST_BLIND:
        why = ", ".join(dict.fromkeys(one.reason for _, one in seen.unseen)) or "no picture"
        yield f"The table could not be seen for {percent(blind)} of the time: {why}."
    hints = dict.fromkeys(film.findings.setup_hint for film in seen.films if film.findings.setup_hint)
    yield from (hint if hint.endswith("?") else f"{hint}." for hint in hints)
    if seen.cards.shown < LEAST_CARDS or len(seen.all_rounds) < LEAST_ROUNDS:
        rounds, cards = len(seen.all_rounds), seen.cards.shown
        yield (
            f"{cards} open cards in {rounds} rounds were found; {LEAST_CARDS} in {LEAST_ROUNDS} are needed. Either too "
            "little play was filmed, or the camera does not see it: look at its picture and its calibration."
        )


def _against_cards(seen: TableMeasures) -> Iterator[str]:
    if seen.cards.shown < LEAST_CARDS:
        return
    share = seen.cards.sure_share or 0.0
    if share < LEAST_SHARE:
        yield (
            f"{percent(share)} of the open cards are read surely; {percent(LEAST_SHARE)} are needed.{_size_words(seen)}"
        )
    if seen.errors.sure.high > MOST_ERROR and seen.errors.sure.of:
        yield (
            f"Up to {percent(seen.errors.sure.high)} of the faces that are read surely may be wrong; no more than "
            f"{percent(MOST_ERROR)} are allowed.{_size_words(seen)}"
        )
    unexplained = [one for one in seen.all_rounds if one.contradictions and one.dealer < SURE_OF_DEALER]
    if len(unexplained) > MOST_CONTRADICT * len(seen.all_rounds):
        yield (
            f"{len(unexplained)} of {len(seen.all_rounds)} rounds contradict themselves, and the dealer is not the "
            "likely cause: look at the card boxes, the rulebook and the dealing style."
        )


def _size_words(seen: TableMeasures) -> str:
    if seen.sizes.card_px is None or seen.sizes.card_px_per_mm is None:
        return ""
    small = " too small:" if seen.sizes.card_px_per_mm < READABLE_PX_PER_MM else ""
    return (
        f" A card is{small} {seen.sizes.card_px:.0f} px wide; look whether the picture is sharp, lit and not scaled up."
    )


def _card_limits(seen: TableMeasures) -> Iterator[tuple[Sequence[str], str]]:
    share = seen.cards.sure_share or 0.0
    if share < FIT_SHARE:
        yield CARD_CODES, f"{percent(share)} of the open cards are read surely; {percent(FIT_SHARE)} are needed."
    if seen.errors.sure.high > FIT_ERROR:
        yield CARD_CODES, f"Up to {percent(seen.errors.sure.high, 1)} of the faces that are read surely may be wrong."
    if seen.errors.cards.high > MOST_FAILED:
        yield CARD_CODES, f"Up to {percent(seen.errors.cards.high)} of the cards may be wrong, unread or not found."


def _place_limits(seen: TableMeasures) -> Iterator[tuple[Sequence[str], str]]:
    doubtful = [one for one in seen.all_rounds if one.contradictions & OF_PLACES and one.dealer < SURE_OF_DEALER]
    misplaced = [one for one in doubtful if not one.contradictions & OF_FACES]
    if misplaced:
        yield PLACE_CODES, f"In {len(misplaced)} rounds cards seem to be missing, or to lie in another hand."
    blind = seen.unseen_s / seen.duration_s if seen.duration_s else 1.0
    if blind > FIT_BLIND:
        yield PLACE_CODES, f"The table could not be seen for {percent(blind)} of the time."


def _chip_limits(seen: TableMeasures) -> Iterator[tuple[Sequence[str], str]]:
    scale = seen.sizes.chip_px_per_mm
    if scale is not None and LEAST_PX_PER_MM <= scale < READABLE_PX_PER_MM:
        yield (
            AMOUNT_CODES,
            f"A chip is {seen.sizes.chip_px:.0f} px wide, {scale:.2f} px/mm; {READABLE_PX_PER_MM:g} are needed.",
        )
    if seen.chips.changes and seen.chips.counted < LEAST_COUNTED * seen.chips.changes:
        yield AMOUNT_CODES, f"Of {seen.chips.changes} wagers that were put down {seen.chips.counted} were counted."


def _alert_limits(seen: TableMeasures) -> Iterator[tuple[Sequence[str], str]]:
    for code, count in seen.alerts_by_code.items():
        if count >= max(MANY_ALERTS, MANY_SHARE * len(seen.all_rounds)) and not code.startswith("camera."):
            yield (
                (code,),
                f"{code} was raised {count} times in {len(seen.all_rounds)} rounds: that is rarely the dealer.",
            )


def _notes(seen: TableMeasures) -> Iterator[str]:
    if seen.familiarity is not None and seen.familiarity < STRANGE_DECK:
        yield (
            f"The reader hardly knows this deck ({percent(seen.familiarity)} of its cards are sure at a look): enrol "
            "it with `thirdcard enrol`."
        )
    often = TIMES_OFTENER * len(seen.all_rounds) / ROUNDS_AN_ERROR
    errors = {code: count for code, count in seen.alerts_by_code.items() if code in (*CARD_CODES, *PLACE_CODES)}
    for code, count in errors.items():
        if code.startswith("misdeal.") and count > often:
            yield (
                f"{code} was raised {'once' if count == 1 else f'{count} times'} in {len(seen.all_rounds)} rounds, and "
                f"is found once in some {ROUNDS_AN_ERROR}: look at its picture, a card may be invented from noise."
            )
