"""Pixels to observations in the layout plane: decode, gate, detect, read, track, observe.

Contains no word of the game's rules: it knows labels, regions, millimetres and seconds.
"""
