"""A room with a reviewed shift in it."""

from tests.service.corrections.conftest import Reviewed, reviewed, seed

__all__ = ["Reviewed", "reviewed", "seed"]
