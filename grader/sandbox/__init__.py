"""Processes for student code, and what keeps them in."""
