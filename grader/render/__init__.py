"""Views turned into text for people."""
