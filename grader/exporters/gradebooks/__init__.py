"""The gradebooks of learning platforms: read, filled, written; one file for each platform."""
