"""Sleeps almost as long as the import may take, once everything is defined, and ends its process in every check: each check pays for the import
anew, until the budget of the whole submission is spent. (What sleeps longer is left out when the next process imports it.)

Verdict: timeout
Class F.
"""

import os
import time


def full_visibility(nonpadding):
    os._exit(1)


causal_visibility = attention_weights = TinySelfAttn = full_visibility

time.sleep(2)
