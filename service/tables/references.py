"""The files that a table's YAML names, each with its position in the text: a name can be replaced and the rest stays
unchanged."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import yaml

from thirdcard.calibration.chips import BUILT_IN_CHIPS
from thirdcard.calibration.documents import parse_yaml
from thirdcard.calibration.errors import DocumentError
from thirdcard.calibration.layout import BUILT_IN_LAYOUTS
from thirdcard.rules.rulebook.load import is_file_reference
from thirdcard.service.config.table_file import is_live_source

BUILT_IN: Mapping[str, tuple[str, ...]] = {"layout": BUILT_IN_LAYOUTS, "chips": BUILT_IN_CHIPS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A value in a YAML file that names another file."""

    key: str
    """The path of keys: `cameras[0].source`."""
    name: str
    span: tuple[int, int]
    """Its start and end in the text, in characters."""

    @property
    def is_film(self) -> bool:
        """Whether it is a camera's film."""
        return self.key.endswith(".source")

    @property
    def is_chips(self) -> bool:
        """Whether it is a chip set, which names samples."""
        return self.key == "chips"

    @property
    def is_deck(self) -> bool:
        """Whether it is an enrolled deck, which names its pictures."""
        return self.key == "cards.deck"


def read_text(content: bytes) -> str:
    """The text of a YAML file with its line ends unchanged; invalid UTF-8 is replaced and left for the check to
    report."""
    return content.decode("utf-8", "replace")


def references_of_table(text: str) -> list[Reference]:
    """The files that `table.yaml` names, without built-in names, streams and devices; empty where it is not YAML."""
    found = []
    for key, node in _scalars(text):
        place = key.partition("[")[0]
        is_file = place in ("layout", "cards.deck", "cameras") or key in ("rulebook", "chips")
        is_sample = place == "chips.chips" and key.endswith(".sample")
        if not (is_file or is_sample) or (place == "cameras" and not key.endswith((".source", ".calibration"))):
            continue
        is_elsewhere = key.endswith(".source") and is_live_source(node.value)
        is_id = key == "rulebook" and not is_file_reference(node.value)
        if not (is_elsewhere or is_id or node.value in BUILT_IN.get(key, ())):
            found.append(_reference(key, node))
    return found


def references_of_chips(text: str) -> list[Reference]:
    """The samples that `chips.yaml` names."""
    return [_reference(key, node) for key, node in _scalars(text) if key.endswith(".sample")]


def references_of_deck(text: str) -> list[Reference]:
    """The pictures that an enrolled deck names."""
    return [_reference(key, node) for key, node in _scalars(text) if key == "faces"]


def renamed(text: str, names: Mapping[Reference, str]) -> str:
    """The text with some references renamed; nothing else changes."""
    changed = {reference: name for reference, name in names.items() if name != reference.name}
    by_span = {reference.span: name for reference, name in changed.items()}  # an alias names a place once more
    for (begin, end), name in sorted(by_span.items(), reverse=True):
        text = f"{text[:begin]}{json.dumps(name, ensure_ascii=False)}{text[end:]}"
    return text


def texts_of(text: str) -> list[str]:
    """Every string value of a YAML file."""
    return [node.value for _, node in _scalars(text)]


def with_other_texts(text: str, other: Callable[[str], str | None]) -> str:
    """A YAML file with values replaced by the results of `other`; None keeps a value."""
    changed: dict[Reference, str] = {}
    for key, node in _scalars(text):
        value = other(node.value)
        if value is not None:
            changed[_reference(key, node)] = value
    return renamed(text, changed)


def _reference(key: str, node: yaml.ScalarNode) -> Reference:
    return Reference(key=key, name=node.value, span=(node.start_mark.index, node.end_mark.index))


def _scalars(text: str) -> list[tuple[str, yaml.ScalarNode]]:
    """Every string value with its key path; empty where the text is not YAML of a reasonable size."""
    try:
        parse_yaml(text, "")
    except DocumentError:
        return []
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    return [] if root is None else list(_within("", root))


def _within(key: str, node: yaml.Node) -> Iterator[tuple[str, yaml.ScalarNode]]:
    if isinstance(node, yaml.ScalarNode):
        if node.tag == "tag:yaml.org,2002:str":
            yield key, node
    elif isinstance(node, yaml.SequenceNode):
        for i, each in enumerate(node.value):
            yield from _within(f"{key}[{i}]", each)
    elif isinstance(node, yaml.MappingNode):
        for name, each in node.value:
            yield from _within(f"{key}.{name.value}".lstrip("."), each)
