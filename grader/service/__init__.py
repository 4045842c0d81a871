"""The grader as somebody else's service."""
