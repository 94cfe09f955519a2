"""What the renderer and the schools letter with comes with the package: nobody looks for fonts of the system."""

from __future__ import annotations

import ast

from tests.house.source_tree import source_files

SYSTEM_WORDS = ("/usr/share/fonts", "/usr/local/share", "/library/fonts", "windows/fonts", "/.fonts", "fontconfig")
OWNER = "datasets/fonts/shipped.py"


def test_no_module_names_a_folder_of_system_fonts() -> None:
    named = [
        f"{file.path}:{node.lineno}"
        for file in source_files("datasets", "models")
        for node in file.nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if any(word in node.value.lower() for word in SYSTEM_WORDS)
    ]
    assert named == []


def test_fonts_are_opened_in_one_place() -> None:
    openers = {
        file.path
        for file in source_files("datasets", "models")
        for node in file.nodes
        if (isinstance(node, ast.ImportFrom) and "ImageFont" in {alias.name for alias in node.names})
        or (isinstance(node, ast.Attribute) and node.attr in ("ImageFont", "truetype", "load_default"))
    }
    assert openers == {OWNER}
