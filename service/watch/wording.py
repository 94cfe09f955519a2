"""Describe results in plain words: counts, rounds, alerts, events.

Independent of pages and terminals; returns single lines of text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from thirdcard.rules.game.cards import Card, parse_card
from thirdcard.rules.log.events import (
    BetsOpened,
    CameraBack,
    CameraFaulted,
    CardDealt,
    CardMoved,
    CardPassed,
    CardRemoved,
    CardReplaced,
    CardShown,
    CardTurned,
    Event,
    LimitsChanged,
    NomineeNamed,
    NoMoreBets,
    ResultAnnounced,
    ReturnOrdered,
    RoundClosed,
    RoundVoided,
    WagerChanged,
    WagerSettled,
)
from thirdcard.rules.round.records import RoundRecord
from thirdcard.service.watch.result import Findings, WatchedAlert, unseen_reason
from thirdcard.service.watch.spread_count import spread_text

SUIT_SIGNS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
ACTION_WORDS = {
    "reconstruct": "Reconstruct the hands",
    "card_to_banker": "The card goes to the Banker",
    "first_card_of_next_round": "First card of the next round",
    "void_next_hand": "The next hand is void",
    "void_round": "The round is void",
    "void_wager": "The wager is void",
    "player_options": "The players choose",
    "stand": "The card stands",
    "supervisor": "Call the supervisor",
}
SOURCE_WORDS = {
    "signal": " (a device reported it)",
    "camera": " (seen)",
    "inferred": " (inferred)",
    "person": " (a person entered it)",
}
PLACE_WORDS = {"burn": "in the burned pile", "shoe": "in the shoe", "discard": "in the discard rack"}
WINNER_WORDS = {"player": "Player", "banker": "Banker", "tie": "Tie"}


def clock(t: float, *, tenths: bool = True) -> str:
    """Stream time for display: `01:23.4`, or `1:02:03.4` from one hour on."""
    total = round(t * 10) if tenths else int(t) * 10
    seconds, tenth = divmod(total, 10)
    hours, rest = divmod(seconds, 3600)
    minutes, second = divmod(rest, 60)
    text = f"{hours}:{minutes:02d}:{second:02d}" if hours else f"{minutes:02d}:{second:02d}"
    return f"{text}.{tenth}" if tenths else text


def duration(seconds: float) -> str:
    """A duration in words: `63 s`, `12 min 5 s`, `2 h 3 min`."""
    whole = round(seconds)
    if whole < 120:
        return f"{whole} s"
    if whole < 7200:
        return f"{whole // 60} min {whole % 60} s" if whole % 60 else f"{whole // 60} min"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def counted(n: int, word: str) -> str:
    """A count with its noun: `no alerts`, `1 alert`, `3 alerts`."""
    return f"{n or 'no'} {word}{'' if n == 1 else 's'}"


def card_text(card: Card | None) -> str:
    """A card such as `10♥`, or `?` where the face was not read."""
    return "?" if card is None else f"{card.rank}{SUIT_SIGNS[card.suit]}"


def hand_text(cards: Sequence[Card | None]) -> str:
    """A hand's cards in the order of dealing."""
    return " ".join(card_text(card) for card in cards) or "-"


def bet_text(bet: str | None) -> str:
    """The name of a bet: `Player pair` for `player_pair`."""
    return "" if bet is None else str(bet).replace("_", " ").capitalize()


def rule_text(rulebook: str, rule: str | None) -> str:
    """Where it is written."""
    return f"{rulebook} {rule}" if rule else f"{rulebook} (no section covers this)"


def round_text(record: RoundRecord) -> str:
    """One round in one line."""
    player, banker = (
        f"{name} {hand_text(cards)} = {'?' if total is None else total}"
        for name, cards, total in (
            ("Player", record.player, record.player_total),
            ("Banker", record.banker, record.banker_total),
        )
    )
    return f"round {record.round}: {player}, {banker}: {outcome_text(record)}"


def outcome_text(record: RoundRecord) -> str:
    """The outcome of a round, as far as known."""
    if record.void:
        return "void"
    if record.winner is None:
        return "not decided" if not (record.player or record.banker) else "result not known"
    return {"player": "Player wins", "banker": "Banker wins", "tie": "Tie"}[str(record.winner)]


def alert_text(watched: WatchedAlert) -> str:
    """One alert in one sentence, with the rule and its remedy."""
    alert = watched.alert
    orders = f" {ACTION_WORDS.get(alert.remedy.action, alert.remedy.action)}"
    orders += f" ({alert.remedy.rule})." if alert.remedy.rule else "."
    return (
        f"{clock(alert.t)} round {alert.round}, {alert.code} ({alert.severity}): {alert.message} "
        f"Rule {rule_text(alert.rulebook, alert.rule)}.{orders}"
    )


def outcomes_text(rounds: Sequence[RoundRecord]) -> str:
    """The outcomes of rounds, such as `Player won 2, Banker 1, 1 Tie`."""
    counts = Counter(str(record.winner) for record in rounds if record.winner is not None and not record.void)
    parts = [f"{WINNER_WORDS[name]} {counts[name]}" for name in ("player", "banker", "tie") if counts[name]]
    voids = sum(record.void for record in rounds)
    others = len(rounds) - counts.total() - voids
    parts += [f"{voids} void"] if voids else []
    return ", ".join(parts + ([f"{others} without a result"] if others else []))


def found_text(findings: Findings) -> str:
    """All results in one sentence."""
    rounds = counted(len(findings.rounds), "round")
    outcomes = f" ({outcomes_text(findings.rounds)})" if findings.rounds else ""
    alerts = counted(len(findings.alerts), "alert")
    text = f"{rounds}{outcomes} and {alerts} in {duration(findings.duration_s)}"
    unseen_s = sum(stretch.to_s - stretch.from_s for stretch in findings.unseen)
    reasons = ", ".join(dict.fromkeys(stretch.reason for stretch in findings.unseen))
    text += f"; {counted(len(findings.doubtful), 'doubtful finding')} more" if findings.doubtful else ""
    text += f"; {duration(unseen_s)} could not be seen ({reasons})" if unseen_s > 0 else ""
    return f"{text[0].upper()}{text[1:]}."


def closing_words(findings: Findings) -> list[str]:
    """The closing lines of a watch: its results, each alert in a sentence, its speed."""
    lines = [f"Table {findings.table.id} under {findings.table.rulebook}: {_lower_first(found_text(findings))}"]
    lines += [f"  {alert_text(watched)}" for watched in findings.alerts]
    lines += [f"  {clock(spread.from_t)} {spread_text(spread)}" for spread in findings.spreads]
    lines += (f"Note: {note}." for note in findings.notes)
    if findings.damaged is not None:
        lines.append(f"Damaged: {findings.damaged}.")
    if findings.broken is not None:
        lines.append(f"The video broke off: {findings.broken}. What was seen until then is kept.")
    if findings.wall_s > 0:
        lines.append(speed_text(findings))
    return lines


def speed_text(findings: Findings) -> str:
    """The processing speed, and the share of each stage."""
    rate = findings.frames / findings.wall_s if findings.wall_s else 0.0
    factor = findings.duration_s / findings.wall_s if findings.wall_s else 0.0
    text = f"Watched in {findings.wall_s:.1f} s: {rate:.0f} frames/s, {factor:.1f} x the table's own pace"
    shares = stage_shares(findings.stage_seconds)
    return f"{text} ({shares})." if shares else f"{text}."


def stage_shares(stage_seconds: object) -> str:
    """The shares of stages, the largest first: `decode 40 %, detect 35 %, ...`."""
    if not isinstance(stage_seconds, dict) or not sum(stage_seconds.values()):
        return ""
    total = sum(stage_seconds.values())
    ordered = sorted(stage_seconds.items(), key=lambda item: -item[1])
    return ", ".join(f"{name} {100 * seconds / total:.0f} %" for name, seconds in ordered if seconds / total >= 0.005)


def event_text(event: Event) -> str:
    """One line of the table log in words."""
    match event:
        case CardDealt():
            place = f"to the {str(event.hand).capitalize()}" if event.hand else "to no hand"
            return f"{_face(event.card, bool(event.face_up), event.alternatives)} dealt {place}"
        case CardTurned():
            return f"{_face(event.card, event.face_up, event.alternatives).rstrip(',')}, turned by {_party(event.by)}"
        case CardMoved():
            return f"A card moved to the {str(event.hand).capitalize()}"
        case CardPassed() | CardRemoved():
            return f"A card {'handed to' if isinstance(event, CardPassed) else 'taken to'} {_party(event.to)}"
        case WagerChanged():
            before = _stack(event.before, event.chips_before, (event.before_low, event.before_high))
            after = _stack(event.after, event.chips_after, (event.after_low, event.after_high))
            return f"{_area(event)}: {before} to {after}, by {_party(event.by)}"
        case WagerSettled():
            amount = "" if event.amount is None else f" {event.amount}"
            return f"{_area(event)}: {event.action}{amount}"
        case ResultAnnounced():
            winner = "a result" if event.winner is None else WINNER_WORDS[str(event.winner)]
            return f"Announced: {winner}, Player {_or_unknown(event.player)}, Banker {_or_unknown(event.banker)}"
        case ReturnOrdered():
            return f"{_area(event)}: to be returned{_why(event.reason)}"
        case RoundVoided():
            return f"The round is void{_why(event.reason)}"
        case NomineeNamed():
            who = "nobody" if event.nominee is None else f"seat {event.nominee}"
            return f"Nominee of seat {event.seat}: {who}"
        case LimitsChanged():
            whose = "the table" if event.seat is None else f"seat {event.seat}"
            return f"Limits of {whose}: {_limits(event)}"
        case CardShown():
            return f"The face of a card was seen: {card_text(event.card)}, {PLACE_WORDS[str(event.where)]}"
        case CardReplaced():
            return f"A card was replaced{_why(event.reason)}"
        case NoMoreBets():
            return f"No more bets{SOURCE_WORDS.get(str(event.source), '')}"
        case BetsOpened():
            return "Betting opens"
        case RoundClosed():
            return "The round closes"
        case CameraFaulted():
            return f"Could not see from here on: {unseen_reason(event)}"
        case CameraBack():
            return "The camera sees again"
    return event.type.replace("_", " ").capitalize()


def _why(reason: str | None) -> str:
    return f" ({reason})" if reason else ""


def _limits(event: LimitsChanged) -> str:
    names = ("minimum", "maximum", "differential", "collective")
    told = [f"{name} {getattr(event, name)}" for name in names if getattr(event, name) is not None]
    for bet, limits in (event.bets or {}).items():
        told += [f"{bet_text(bet)} {name} {amount}" for name, amount in limits.items()]
    return ", ".join(told) or "as the table's"


def _face(card: Card | None, face_up: bool, alternatives: Mapping[str, float] | None) -> str:
    if card is not None:
        return card_text(card)
    if not face_up:
        return "A card, face down,"
    likely = sorted(alternatives or {}, key=lambda face: -(alternatives or {})[face])[:2]
    perhaps = " or ".join(card_text(parse_card(face)) for face in likely)
    return f"A card, face not read (perhaps {perhaps})," if perhaps else "A card, face not read,"


def _party(name: str) -> str:
    return name.replace("seat:", "seat ").replace("off_table", "off the table").replace("unknown", "somebody unseen")


def _area(event: WagerChanged | WagerSettled | ReturnOrdered) -> str:
    return f"Seat {event.seat} on {bet_text(event.bet)}" if event.seat else f"{event.area} on {bet_text(event.bet)}"


def _stack(value: int | None, chips: int | None, between: tuple[int | None, int | None]) -> str:
    if value == 0 or chips == 0:
        return "empty"
    if value is not None:
        return str(value)
    words = "some chips" if chips is None else counted(chips, "chip")
    low, high = between
    return words if low is None or high is None else f"{words} ({low} to {high})"


def _or_unknown(value: int | None) -> str:
    return "?" if value is None else str(value)


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]
