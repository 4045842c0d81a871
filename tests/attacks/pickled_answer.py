"""Returns objects that run code when somebody copies, pickles, unpickles, prints or formats them, and the bytes of such a
pickle.

Verdict: failed
Class H.
"""

import pickle


class _Loaded:
    def __reduce_ex__(self, protocol):
        return exec, ("print('BREACH: unpickled'); import sys; sys.stderr.write('BREACH: unpickled')",)

    def __deepcopy__(self, memo):
        raise SystemExit(0)

    def __repr__(self):
        raise SystemExit(0)

    __str__ = __copy__ = __getstate__ = __repr__

    def __format__(self, how):
        raise SystemExit(0)


def full_visibility(nonpadding):
    return pickle.dumps(_Loaded())


def causal_visibility(nonpadding):
    return _Loaded()


def attention_weights(query, key, visible=None):
    return {"weights": [_Loaded(), (_Loaded(), pickle.dumps(_Loaded()))]}
