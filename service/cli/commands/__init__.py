"""One file for each command of `thirdcard`: it reads the arguments, calls one function and prints the result."""
