"""Defines nothing that is graded but a global whose name is half a surrogate pair: the sentence that says
why nothing can be graded quotes it, and can't be encoded.

Verdict: invalid
Class K.
"""

globals()["A\udc80"] = 1
