"""The trusted side: runs the checks, compares, and says why."""
