"""The errors of the renderer's inputs."""

from __future__ import annotations

from thirdcard.datasets.errors import DatasetsError


class StyleError(DatasetsError):
    """A world's style names an unknown look, or gives one an unsuitable value."""


class CameraPoseError(DatasetsError):
    """A camera has no pose, or none can be found that sees the whole cloth."""
