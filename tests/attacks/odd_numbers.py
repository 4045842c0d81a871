"""Answers with numbers that are not quite numbers: fractions, decimals, integers and texts of classes of its own, with
conversions that raise or run for ever, dicts with keys that collide after they were sent.

Verdict: failed
Class H.
"""

import collections
import decimal
import enum
import fractions

import numpy


class _Integer(int):
    def __index__(self):
        raise SystemExit(0)

    __int__ = __str__ = __repr__ = bit_length = __index__


class _Text(str):
    def encode(self, *more):
        return b"\xff" * 100

    def __len__(self):
        return -1


class _One(enum.IntEnum):
    ONE = 1


def full_visibility(nonpadding):
    return [fractions.Fraction(1, 3), decimal.Decimal("1e999999"), _Integer(7), _Text("x"), _One.ONE, 1e308 * 10]


def causal_visibility(nonpadding):
    return collections.OrderedDict({1: 1, "1": 2, _Integer(1): 3, _Text("1"): 4})


def attention_weights(query, key, visible=None):
    return numpy.ma.masked_array(numpy.array([numpy.datetime64("NaT")], dtype=object), mask=[True])
