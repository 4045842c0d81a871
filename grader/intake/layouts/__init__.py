"""What learning platforms make of submissions when a class is downloaded; one file per platform."""
