"""Similar work: which submissions of a class share code that nobody gave them. A hint for a person, never a mark."""
