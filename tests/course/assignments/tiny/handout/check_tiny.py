"""Public checks."""

import torch

from grader.judge.marks import group, hint, points


@points(40)
@group("Doubling")
@hint("Twice two is four.")
def test_double(student, expect):
    """double(x) is twice x."""
    expect.close(student.double(torch.tensor([1.0, 2.0, 3.0])), torch.tensor([2.0, 4.0, 6.0]), "double(x)")
