"""Scores, comments and reports sent to an LMS through its own interface. Runs in the command."""
