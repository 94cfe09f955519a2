"""What can go wrong when a model is trained or exported."""

from __future__ import annotations


class ModelsError(Exception):
    """Root of these errors; the text is one line."""


class ModelExportError(ModelsError):
    """A trained network cannot be exported so."""


class BelowFloorsError(ModelExportError):
    """A new model is worse than the shipped ones may be, or nobody measured it."""
