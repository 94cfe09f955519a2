"""The models: how the detector, the readers and the stack networks are built, trained, exported and evaluated."""
