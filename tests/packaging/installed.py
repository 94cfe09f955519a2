"""Test an installation: import every module of Thirdcard, then watch the recording that comes with it.

Run it as a file with the Python to test, from any folder; it needs only the installed package. The exit status is 1
where a module cannot be imported or the watch finds anything but the demo's three faults.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import thirdcard

EXTRAS = {"fsspec", "onnx", "onnxslim", "ray", "torch", "torchvision", "ultralytics"}
"""Packages only for training or a cluster: a module without these does not count as broken."""
SAME = ("round", "code", "seat", "hand")


def modules(package: str = thirdcard.__name__) -> Iterator[str]:
    """The names of all modules of the package."""
    for found in pkgutil.iter_modules(importlib.import_module(package).__path__, f"{package}."):
        if not found.name.endswith(".__main__"):
            yield found.name
        if found.ispkg:
            yield from modules(found.name)


def import_all() -> list[str]:
    """The modules that cannot be imported, one line each."""
    broken, count, left = [], 0, 0
    for name in modules():
        try:
            importlib.import_module(name)
            count += 1
        except ModuleNotFoundError as error:
            if error.name not in EXTRAS:
                broken.append(f"{name}: {error}")
            left += 1
        except Exception as error:  # whatever a library of another version raises
            broken.append(f"{name}: {type(error).__name__}: {error}")
    print(f"{count} modules imported, {left} left out that need an extra")
    return broken


def watch_demo() -> list[str]:
    """The differences between the findings of the demo's watch and the expected ones."""
    demo = Path(thirdcard.__file__).parent / "datasets" / "demo"
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "demo"
        command = [sys.executable, "-m", "thirdcard", "watch", str(demo), "--out", str(out), "--quiet"]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode:
            return [f"thirdcard watch: status {result.returncode}: {result.stderr.strip()}"]
        found, true = alerts(out / "alerts.jsonl"), alerts(demo / "alerts.jsonl")
        print(
            f"demo watched: {len(found)} alerts, {len(true)} true; report {(out / 'report.html').stat().st_size} bytes"
        )
    return [f"demo: not as in truth: {alert}" for alert in sorted(found ^ true, key=str)]


def alerts(path: Path) -> set[tuple[object, ...]]:
    """The identifying values of each alert."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {tuple(line[key] for key in SAME) for line in lines}


if __name__ == "__main__":
    faults = import_all() + watch_demo()
    sys.exit("\n".join(faults) or None)
