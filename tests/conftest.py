"""Set-up for all tests.

Generated tests draw the same values every time, and never fail because a busy machine is slow. Packages can only be
imported by their installed names.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

from hypothesis import HealthCheck, settings

from tests.house.source_tree import NAME, PACKAGES

settings.register_profile("house", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")


class BareNames:
    """Refuses `import rules`: the folders lie beside the tests, but only `thirdcard.rules` is installed."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Raise ModuleNotFoundError for the names of our folders; None for all other names."""
        if name in PACKAGES:
            raise ModuleNotFoundError(f"{name}: imported as {NAME}.{name}", name=name)
        return None


sys.meta_path.insert(0, BareNames)
