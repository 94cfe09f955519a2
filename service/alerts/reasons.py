"""Why alerts are dismissed: the one list that the API, the pages and the figures share."""

from __future__ import annotations

from collections.abc import Mapping

OTHER = "other"
DISMISSAL_REASONS: Mapping[str, str] = {
    "card_misread": "A card was misread",
    "chips_misread": "Chips were misread",
    "call_misheard": "The call was not when the system took it to be",
    "hand_in_the_way": "Something was hidden from the camera",
    "corrected_at_table": "The dealer corrected it at once",
    "allowed_by_supervisor": "The supervisor allowed it",
    "training_or_test": "Training or a test",
    "duplicate": "Another alert tells the same",
    OTHER: "Another reason, as noted",
}
"""Each reason with its text for people; the first four count as false alerts, and so does `CORRECTED`."""
CORRECTED = "corrected"
"""The reason of an alert that a correction of the readings removed; people cannot select it."""
FALSE_ALERT_REASONS = frozenset({"card_misread", "chips_misread", "call_misheard", "hand_in_the_way", CORRECTED})


def reason_and_note(reason: str | None, note: str | None) -> tuple[str | None, str | None]:
    """A listed reason and the note; other words become a note under `other`."""
    if reason is None or reason in DISMISSAL_REASONS:
        return reason, note
    return OTHER, f"{reason}: {note}" if note else reason
