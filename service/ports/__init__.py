"""What the rooms of the service ask of each other: protocols, messages, errors."""
