"""A house's rules as data: loaded from a file beside this one and checked to be whole.

Knows no rulebook by name: whatever file lies in `rulebooks/` is one.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import yaml

from thirdcard.rules.errors import RulebookError
from thirdcard.rules.rulebook.model import Rulebook
from thirdcard.rules.rulebook.options import Rules, elect
from thirdcard.rules.rulebook.parse import parse_rulebook

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

__all__ = ["Rulebook", "Rules", "elect", "load_rulebook", "rulebook_ids"]


def rulebook_ids() -> tuple[str, ...]:
    """The ids of the rulebooks that are there, in order."""
    names = (entry.name for entry in (files("thirdcard.rules") / "rulebooks").iterdir())
    return tuple(sorted(name.removesuffix(".yaml") for name in names if name.endswith(".yaml")))


@cache
def load_rulebook(rulebook_id: str) -> Rulebook:
    """The rulebook of that id.

    Raises:
        RulebookError: there is none, or its file is incomplete; names the place.
    """
    if rulebook_id not in rulebook_ids():
        raise RulebookError(f"rulebook = {rulebook_id}; allowed: {', '.join(rulebook_ids())}")
    name = f"{rulebook_id}.yaml"
    try:
        content = yaml.load((files("thirdcard.rules") / "rulebooks" / name).read_text(encoding="utf-8"), Loader=_LOADER)
    except yaml.YAMLError as error:
        raise RulebookError(f"{name}: no YAML: {' '.join(str(error).split())}") from error
    return parse_rulebook(content, name)


def __getattr__(name: str) -> tuple[str, ...]:
    if name == "RULEBOOK_IDS":
        return rulebook_ids()
    raise AttributeError(name)
