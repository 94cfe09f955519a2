"""The errors of `rules`: one class per cause under one root."""

from __future__ import annotations

from reprlib import Repr

_LONGEST_VALUE = 80
"""The longest value in a message, in characters: about a line of a terminal."""
_SHORT = Repr()
_SHORT.maxlevel, _SHORT.maxlist, _SHORT.maxtuple, _SHORT.maxdict = 2, 4, 4, 4


class RulesError(Exception):
    """The root of all errors of `rules`; its text is one line that says where, what was found and what is allowed."""


class CardError(RulesError):
    """A text that names no card of the pack."""


class EventError(RulesError):
    """A mapping that is no event of the table log."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class UnknownEventError(EventError):
    """The event has a type that the table log does not define."""


class LogError(RulesError):
    """A table log that cannot be judged; names the line."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line


class RulebookError(RulesError):
    """A rulebook file that is unknown, incomplete or contradicts itself; names the place."""

    def __init__(self, message: str, problems: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.problems = problems or (message,)
        """All problems, each in one line."""


class RulebookPlaceError(RulesError):
    """Something in a rulebook file that cannot be used."""

    def __init__(self, place: str, what: str, name: str = "") -> None:
        super().__init__(f"{place}{what}")
        self.place = place
        self.what = what
        self.name = name
        """The key that it concerns; empty where none."""


class OptionError(RulesError):
    """The rulebook lacks an option, does not offer its value, or two options exclude each other."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key


class EquipmentError(RulesError):
    """A shoe, a number of seats or a fee that the rulebook forbids; `key` is its place in a table's file."""

    def __init__(self, key: str, value: object, allowed: str) -> None:
        super().__init__(f"{key} = {value}; {allowed}")
        self.key = key
        self.value = value
        self.allowed = allowed


class NotationError(RulesError):
    """A round's short text that cannot be read."""


class DecisionError(RulesError):
    """A combination of totals and third card that cannot occur in a round."""


def brief(value: object) -> str:
    """A value in one short printable line, however long or deep it is.

    >>> brief("1S"), brief(None), brief(10**400)
    ('1S', 'None', '1000000000000000000000000000000000000000000000000000000000000000000000000000 ...')
    """
    text = value[: _LONGEST_VALUE + 1] if isinstance(value, str) else _text_of(value)
    text = "".join(sign if sign.isprintable() else " " for sign in text)
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 4] + " ..."


def _text_of(value: object) -> str:
    if isinstance(value, list | tuple | dict | set | frozenset):
        return _SHORT.repr(value)
    try:
        return str(value)
    except ValueError:  # Python writes no number of more than 4300 digits
        return "a number of thousands of digits"
