"""The bytes between judge and student process: the only code that runs on both sides of the boundary."""
