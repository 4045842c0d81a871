"""Knocks at doors of the kernel that have been broken before, with arguments that are refused for what they are wherever
the door itself is open: other errors than a refusal show that somebody listens behind it.

Verdict: error PermissionError
Class I.
"""

import ctypes
import errno
import platform

NUMBERS = {
    "ptrace": 101,
    "syslog": 103,
    "modify_ldt": 154,
    "mount": 165,
    "umount2": 166,
    "quotactl": 179,
    "add_key": 248,
    "request_key": 249,
    "keyctl": 250,
    "unshare": 272,
    "vmsplice": 278,
    "perf_event_open": 298,
    "fanotify_init": 300,
    "name_to_handle_at": 303,
    "open_by_handle_at": 304,
    "setns": 308,
    "process_vm_readv": 310,
    "kcmp": 312,
    "seccomp": 317,
    "memfd_create": 319,
    "bpf": 321,
    "execveat": 322,
    "userfaultfd": 323,
    "pkey_alloc": 330,
    "io_uring_setup": 425,
    "open_tree": 428,
    "fsopen": 430,
    "pidfd_open": 434,
    "pidfd_getfd": 438,
    "mount_setattr": 442,
    "memfd_secret": 447,
    "x32 getpid": 0x40000000 + 39,
}


def full_visibility(nonpadding):
    if platform.machine() == "x86_64":
        libc = ctypes.CDLL(None, use_errno=True)
        for name, number in NUMBERS.items():
            ctypes.set_errno(0)
            found = libc.syscall(*(ctypes.c_long(word) for word in (number, -1, -1, -1, -1, -1, -1)))
            if found >= 0 or ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS):
                print("BREACH:", name, "answers", found, errno.errorcode.get(ctypes.get_errno()))
    raise PermissionError("all doors are closed")
