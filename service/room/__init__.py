"""What people and programs do in the surveillance room, without a word of HTTP."""
