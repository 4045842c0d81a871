"""The outside world (files, folders, archives) turned into submissions."""
