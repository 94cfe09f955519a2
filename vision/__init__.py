"""Pixels to observations in the layout plane: decode, gate, detect, read, track, observe.

Contains no word of a game: it knows labels, regions, millimetres and seconds.
"""
