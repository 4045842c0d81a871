"""Decorators for checks: points, groups, hints, prerequisites.

Imported by check files, in the judge. Each returns a pytest mark; `plugin` reads them when the checks are collected.
"""

from __future__ import annotations

import pytest

from grader.model.result import Visibility


def points(number: float) -> pytest.MarkDecorator:
    """What passing the check is worth. Every check has points; over public and hidden ones they sum to 100."""
    return pytest.mark.points(number)


def group(name: str) -> pytest.MarkDecorator:
    """The heading under which reports show the check."""
    return pytest.mark.group(name)


def hint(text: str) -> pytest.MarkDecorator:
    """What a student reads when the check fails, a hidden one too: the idea, never inputs or values."""
    return pytest.mark.hint(text)


def needs(*checks: str) -> pytest.MarkDecorator:
    """Names of checks that come earlier; if one of them does not pass, this one is skipped with that reason."""
    return pytest.mark.needs(*checks)


def visibility(kind: Visibility) -> pytest.MarkDecorator:
    """When students see the check's details; without it, public checks are visible and hidden ones hidden."""
    return pytest.mark.visibility(kind)


fresh = pytest.mark.fresh
"""The check gets a student process of its own, with the submission imported anew."""

NAMES = ("points", "group", "hint", "needs", "visibility", "fresh")
