"""Load a house's rules from a file that comes with the program, or from the house's own file.

Knows no rulebook by name: every file in `rulebooks/` is one.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from thirdcard.rules.errors import RulebookError
from thirdcard.rules.rulebook.model import Rulebook
from thirdcard.rules.rulebook.options import Rules, elect
from thirdcard.rules.rulebook.parse import parse_yaml
from thirdcard.rules.rulebook.yaml_text import MOST_CHARACTERS, read_yaml

__all__ = ["Rulebook", "Rules", "elect", "load_rulebook", "read_rulebook", "rulebook_ids"]

SUFFIXES = (".yaml", ".yml")


def rulebook_ids() -> tuple[str, ...]:
    """The ids of the rulebooks that come with the program, sorted."""
    names = (entry.name for entry in (files("thirdcard.rules") / "rulebooks").iterdir())
    return tuple(sorted(name.removesuffix(".yaml") for name in names if name.endswith(".yaml")))


def is_file_reference(reference: str) -> bool:
    """Whether a text names a rulebook's file rather than its id: it has a slash in it or ends in .yaml or .yml."""
    return "/" in reference or reference.endswith(SUFFIXES)


def load_rulebook(reference: str) -> Rulebook:
    """Load the rulebook with that id, or from the file at that path.

    Raises:
        RulebookError: There is none, or its file is incomplete; names the place.
    """
    return read_rulebook(rulebook_text(reference), f"{reference}.yaml" if _is_shipped(reference) else reference)


def rulebook_text(reference: str) -> str:
    """The text of that rulebook's file.

    Raises:
        RulebookError: There is no such rulebook, or its file cannot be read.
    """
    if not is_file_reference(reference):
        if not _is_shipped(reference):
            raise RulebookError(f"rulebook = {reference}; allowed: {', '.join(rulebook_ids())}, or a file's path")
        return _shipped_text(reference)
    try:
        with Path(reference).open(encoding="utf-8") as file:
            return file.read(MOST_CHARACTERS + 1)
    except FileNotFoundError as error:
        raise RulebookError(f"rulebook = {reference}; no such file") from error
    except UnicodeDecodeError as error:
        raise RulebookError(f"{reference}: no text in UTF-8; allowed: a rulebook in YAML") from error
    except (OSError, ValueError) as error:
        raise RulebookError(f"rulebook = {reference}; cannot be read: {error}") from error


@lru_cache(maxsize=64)
def read_rulebook(text: str, name: str) -> Rulebook:
    """Parse a rulebook from a file's text.

    Args:
        text: The file's text.
        name: The file's name, for messages.

    Raises:
        RulebookError: It is incomplete or contradicts itself; names the place.
    """
    return parse_yaml(read_yaml(text, name), name)


def _is_shipped(reference: str) -> bool:
    return not is_file_reference(reference) and reference in rulebook_ids()


@lru_cache(maxsize=64)
def _shipped_text(rulebook_id: str) -> str:
    return (files("thirdcard.rules") / "rulebooks" / f"{rulebook_id}.yaml").read_text(encoding="utf-8")
