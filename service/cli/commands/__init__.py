"""One file for each command of `thirdcard`: reads what was typed, calls one thing, shows what came of it."""
