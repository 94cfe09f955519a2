"""The errors of making training material: one root, one subclass for each cause."""


class DatasetsError(Exception):
    """Root of all errors of this package; its text is one line: `file: key = value; what is allowed`."""
