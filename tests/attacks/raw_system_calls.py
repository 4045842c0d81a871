"""Calls ptrace, process_vm_readv, unshare, setuid, mount, bpf, io_uring, keyctl and others directly.

Verdict: error RuntimeError
Class I.
"""

import ctypes


import torch
from torch import nn


def full_visibility(nonpadding):
    libc = ctypes.CDLL(None, use_errno=True)
    for number, *arguments in (
        (101, 16, 1, 0, 0),
        (310, 1, 0, 0, 0, 0, 0),
        (272, 0x10000000),
        (105, 0),
        (117, 0, 0, 0),
        (165, 0, 0, 0, 0, 0),
        (161, 0),
        (308, 0, 0),
        (321, 0, 0, 0),
        (425, 1, 0),
        (250, 0, 0),
        (319, 0, 0),
        (323, 0),
        (298, 0, 0, 0, 0, 0),
        (438, 0, 0, 0),
        (434, 1, 0),
        (57,),
        (58,),
        (59, 0, 0, 0),
        (56, 0x10000011, 0, 0, 0, 0),
        (41, 2, 1, 0),
        (29, 0, 4096, 0o1666),
        (0x40000000 + 39,),
    ):
        if libc.syscall(ctypes.c_long(number), *(ctypes.c_long(a) for a in arguments)) >= 0:
            print("BREACH: system call", number)
    raise RuntimeError("refused")


def causal_visibility(nonpadding):
    raise NotImplementedError


def attention_weights(query, key, visible=None):
    raise NotImplementedError


class TinySelfAttn(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        raise NotImplementedError
