"""Defines the names and nothing behind them: every function returns None, the class takes anything.

Verdict: failed
Class D.
"""


def full_visibility(*arguments):
    pass


def causal_visibility(*arguments):
    pass


def attention_weights(*arguments):
    pass


class TinySelfAttn:
    def __init__(self, *arguments):
        pass

    def __call__(self, *arguments):
        pass
