"""Frozen records, one per stage of a grading. No input or output happens here."""
