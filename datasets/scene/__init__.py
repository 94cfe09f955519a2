"""Draw a baccarat table as an overhead camera sees it."""
