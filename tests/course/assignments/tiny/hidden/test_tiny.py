# CANARY-PRIVATE-tiny-hidden
"""Hidden checks."""

import torch

from grader.judge.marks import group, hint, needs, points

SECRET_INPUT = 271828.0


@points(30)
@group("Doubling")
@needs("double")
@hint("Negative numbers have doubles too.")
def test_double_negative(student, expect, reference):
    """double(x) works for negative numbers."""
    x = torch.tensor([-SECRET_INPUT, -1.5])
    expect.close(student.double(x), reference.double(x), "double(x)")


@points(30)
@group("Summing")
@hint("Add them all.")
def test_total(student, expect, reference):
    """total(x) is the sum of x."""
    x = torch.tensor([SECRET_INPUT, 1.0, 2.0])
    expect.close(student.total(x), reference.total(x), "total(x)")
