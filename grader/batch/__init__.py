"""Many submissions at once."""
