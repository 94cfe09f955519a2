"""Judge the cards: misdeals, exposed cards, handling, burns, the end of the shoe."""
