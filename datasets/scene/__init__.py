"""The renderer: a baccarat table as an overhead camera sees it, with the truth of what lies on it."""
