"""System call numbers of the calls that student code may make, for each architecture.

Plain tables, used by `seccomp`. The list is what Python, numpy, torch (threads, autograd, optimisers, its compiler's
eager backend), asyncio, tempfile and shutil were seen to need; what is missing on an architecture does not exist
there. Numbers are those of the kernel's asm/unistd.h (x86_64) and asm-generic/unistd.h (aarch64). The commonest calls
come first, since a filter is walked from its top. The calls of ARGUMENT_CHECKED are not in ALLOWED: their arguments
decide, see `seccomp`.
"""

from __future__ import annotations

ALLOWED: dict[str, dict[str, int]] = {}

# fmt: off
ALLOWED["x86_64"] = {
    "read": 0, "write": 1, "mmap": 9, "munmap": 11, "futex": 202, "madvise": 28, "brk": 12, "mprotect": 10,
    "close": 3, "fstat": 5, "lseek": 8, "newfstatat": 262, "openat": 257, "sendto": 44, "recvfrom": 45, "poll": 7,
    "getpid": 39, "rt_sigaction": 13, "rt_sigprocmask": 14, "access": 21, "alarm": 37,
    "arch_prctl": 158, "cachestat": 451, "capget": 125, "chdir": 80, "chmod": 90,
    "close_range": 436, "copy_file_range": 326, "creat": 85, "dup": 32, "dup2": 33,
    "dup3": 292, "epoll_create": 213, "epoll_create1": 291, "epoll_ctl": 233, "epoll_pwait": 281,
    "epoll_pwait2": 441, "epoll_wait": 232, "eventfd": 284, "eventfd2": 290, "exit": 60, "exit_group": 231,
    "faccessat": 269, "faccessat2": 439, "fadvise64": 221, "fallocate": 285, "fchdir": 81, "fchmod": 91,
    "fchmodat": 268, "fchmodat2": 452, "fdatasync": 75, "fgetxattr": 193, "fstatfs": 138,
    "fsync": 74, "ftruncate": 77, "futex_waitv": 449, "get_robust_list": 274, "getcpu": 309, "getcwd": 79,
    "getdents": 78, "getdents64": 217, "getegid": 108, "geteuid": 107, "getgid": 104, "getgroups": 115,
    "getitimer": 36, "getpeername": 52, "getpgid": 121, "getpgrp": 111, "getppid": 110, "getpriority": 140,
    "getrandom": 318, "getresgid": 120, "getresuid": 118, "getrlimit": 97, "getrusage": 98, "getsid": 124,
    "getsockname": 51, "gettid": 186, "gettimeofday": 96, "getuid": 102, "getxattr": 191,
    "inotify_init1": 294, "lgetxattr": 192, "link": 86, "linkat": 265, "listxattr": 194, "lstat": 6,
    "membarrier": 324, "mincore": 27, "mkdir": 83, "mkdirat": 258, "mremap": 25, "msync": 26, "nanosleep": 35,
    "open": 2, "openat2": 437, "pause": 34, "pipe": 22, "pipe2": 293, "ppoll": 271, "pread64": 17,
    "preadv": 295, "preadv2": 327, "pselect6": 270, "pwrite64": 18, "pwritev": 296, "pwritev2": 328,
    "readahead": 187, "readlink": 89, "readlinkat": 267, "readv": 19, "rename": 82, "renameat": 264,
    "renameat2": 316, "restart_syscall": 219, "rmdir": 84, "rseq": 334, "rt_sigpending": 127, "rt_sigreturn": 15,
    "rt_sigsuspend": 130, "rt_sigtimedwait": 128, "sched_get_priority_max": 146, "sched_get_priority_min": 147,
    "sched_getaffinity": 204, "sched_getparam": 143, "sched_getscheduler": 145, "sched_rr_get_interval": 148,
    "sched_yield": 24, "select": 23, "sendfile": 40, "set_robust_list": 273, "set_tid_address": 218,
    "setitimer": 38, "setpgid": 109, "setrlimit": 160, "setsid": 112, "shutdown": 48,
    "sigaltstack": 131, "signalfd": 282, "signalfd4": 289, "splice": 275, "stat": 4, "statfs": 137, "statx": 332,
    "symlink": 88, "symlinkat": 266, "sysinfo": 99, "tee": 276, "time": 201,
    "timer_delete": 226, "timer_gettime": 224, "timer_settime": 223, "timerfd_create": 283,
    "timerfd_gettime": 287, "timerfd_settime": 286, "times": 100, "truncate": 76, "umask": 95, "uname": 63,
    "unlink": 87, "unlinkat": 263, "utimensat": 280, "wait4": 61, "waitid": 247, "writev": 20,
}

ALLOWED["aarch64"] = {
    "read": 63, "write": 64, "mmap": 222, "munmap": 215, "futex": 98, "madvise": 233, "brk": 214, "mprotect": 226,
    "close": 57, "fstat": 80, "lseek": 62, "newfstatat": 79, "openat": 56, "sendto": 206, "recvfrom": 207,
    "getpid": 172, "rt_sigaction": 134, "rt_sigprocmask": 135, "cachestat": 451, "capget": 90,
    "chdir": 49, "close_range": 436, "copy_file_range": 285, "dup": 23,
    "dup3": 24, "epoll_create1": 20, "epoll_ctl": 21, "epoll_pwait": 22, "epoll_pwait2": 441, "eventfd2": 19,
    "exit": 93, "exit_group": 94, "faccessat": 48, "faccessat2": 439, "fadvise64": 223, "fallocate": 47,
    "fchdir": 50, "fchmod": 52, "fchmodat": 53, "fchmodat2": 452, "fdatasync": 83, "fgetxattr": 10,
    "fstatfs": 44, "fsync": 82, "ftruncate": 46, "futex_waitv": 449, "get_robust_list": 100,
    "getcpu": 168, "getcwd": 17, "getdents64": 61, "getegid": 177, "geteuid": 175, "getgid": 176, "getgroups": 158,
    "getitimer": 102, "getpeername": 205, "getpgid": 155, "getppid": 173, "getpriority": 141, "getrandom": 278,
    "getresgid": 150, "getresuid": 148, "getrlimit": 163, "getrusage": 165, "getsid": 156, "getsockname": 204,
    "gettid": 178, "gettimeofday": 169, "getuid": 174, "getxattr": 8, "inotify_init1": 26,
    "lgetxattr": 9, "linkat": 37, "listxattr": 11, "membarrier": 283, "mincore": 232, "mkdirat": 34,
    "mremap": 216, "msync": 227, "nanosleep": 101, "openat2": 437, "pipe2": 59, "ppoll": 73,
    "pread64": 67, "preadv": 69, "preadv2": 286, "pselect6": 72, "pwrite64": 68, "pwritev": 70, "pwritev2": 287,
    "readahead": 213, "readlinkat": 78, "readv": 65, "renameat": 38, "renameat2": 276,
    "restart_syscall": 128, "rseq": 293, "rt_sigpending": 136, "rt_sigreturn": 139, "rt_sigsuspend": 133,
    "rt_sigtimedwait": 137, "sched_get_priority_max": 125, "sched_get_priority_min": 126, "sched_getaffinity": 123,
    "sched_getparam": 121, "sched_getscheduler": 120, "sched_rr_get_interval": 127, "sched_yield": 124,
    "sendfile": 71, "set_robust_list": 99, "set_tid_address": 96, "setitimer": 103, "setpgid": 154,
    "setrlimit": 164, "setsid": 157, "shutdown": 210, "sigaltstack": 132, "signalfd4": 74,
    "splice": 76, "statfs": 43, "statx": 291, "symlinkat": 36, "sysinfo": 179, "tee": 77,
    "timer_delete": 111, "timer_gettime": 108, "timer_settime": 110, "timerfd_create": 85,
    "timerfd_gettime": 87, "timerfd_settime": 86, "times": 153, "truncate": 45, "umask": 166, "uname": 160,
    "unlinkat": 35, "utimensat": 88, "wait4": 260, "waitid": 95, "writev": 66,
}
# fmt: on

ARGUMENT_CHECKED: dict[str, dict[str, int]] = {
    "x86_64": {
        **{"clone": 56, "socketpair": 53, "ioctl": 16, "prlimit64": 302},
        **{"kill": 62, "tgkill": 234, "fcntl": 72, "prctl": 157, "socket": 41, "setsockopt": 54},
        **{"getsockopt": 55},
        **{"clock_gettime": 228, "clock_getres": 229, "clock_nanosleep": 230, "timer_create": 222},
    },
    "aarch64": {
        **{"clone": 220, "socketpair": 199, "ioctl": 29, "prlimit64": 261},
        **{"kill": 129, "tgkill": 131, "fcntl": 25, "prctl": 167, "socket": 198, "setsockopt": 208},
        **{"getsockopt": 209},
        **{"clock_gettime": 113, "clock_getres": 114, "clock_nanosleep": 115, "timer_create": 107},
    },
}

MULTI: dict[str, dict[str, int]] = {
    "x86_64": {
        **{"fork": 57, "vfork": 58, "connect": 42, "accept": 43, "accept4": 288, "bind": 49, "listen": 50},
        **{"sendmsg": 46, "recvmsg": 47},
    },
    "aarch64": {
        **{"connect": 203, "accept": 202, "accept4": 242, "bind": 200, "listen": 201, "sendmsg": 211, "recvmsg": 212},
    },
}
"""What the profile `multi` adds: processes, and sockets among them (`socket` itself is limited to AF_UNIX).

sendmsg is among them, not among those for everybody: descriptors that are on their way count for the whole user, and
enough of them would keep judges of the same user from handing descriptors to their zygotes.
"""

METADATA: dict[str, dict[str, int]] = {
    "x86_64": {
        **{"chmod": 90, "fchmod": 91, "fchmodat": 268, "fchmodat2": 452, "chown": 92, "fchown": 93, "lchown": 94},
        **{"fchownat": 260, "utime": 132, "utimes": 235, "futimesat": 261, "utimensat": 280, "setxattr": 188},
        **{"lsetxattr": 189, "fsetxattr": 190, "removexattr": 197, "lremovexattr": 198, "fremovexattr": 199},
    },
    "aarch64": {
        **{"fchmod": 52, "fchmodat": 53, "fchmodat2": 452, "fchown": 55, "fchownat": 54, "utimensat": 88},
        **{"setxattr": 5, "lsetxattr": 6, "fsetxattr": 7, "removexattr": 14, "lremovexattr": 15, "fremovexattr": 16},
    },
}
"""Calls that change a file's mode, owner, times or attributes, which Landlock (up to ABI 7) does not restrict."""

CLONE3 = 435
"""The same everywhere; answered with ENOSYS, so that the C library falls back to clone, whose flags can be read."""

FIRST_UNKNOWN = 453
"""Calls from here on (and the x32 ones, far above) are newer than these tables: answered with ENOSYS."""

AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""Architecture tokens of linux/audit.h."""

SECCOMP = {"x86_64": 317, "aarch64": 277}
"""The number of seccomp(2) itself."""
