"""A homework grader for machine-learning courses."""

__version__ = "0.1.0"
