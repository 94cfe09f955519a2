"""Cards, hands, the drawing table and the words of the game."""
