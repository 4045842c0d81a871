"""Results turned into the files that other programs read."""
