"""What can go wrong while making the models' schooling: one root, one subclass per cause."""


class DatasetsError(Exception):
    """Root of all errors of this package; its text is one line: `file: key = value; what is allowed`."""
