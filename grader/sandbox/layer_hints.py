"""What to tell whoever lacks a layer of confinement: how to get it, or what is done without it.

Runs in the command, after a layer was tried and found missing. Settings of the kernel are read here to choose the
sentence, never to decide whether a layer is there.
"""

from __future__ import annotations

import os
import shutil
import sys

BWRAP_PLACES = "/usr/bin:/bin:/usr/local/bin"
"""Where bubblewrap may lie."""
_CAP_SYS_ADMIN = 21
_UBUNTU = (
    "Ubuntu restricts namespaces (kernel.apparmor_restrict_unprivileged_userns=1): install apparmor-profiles, copy "
    "bwrap-userns-restrict from /usr/share/apparmor/extra-profiles to /etc/apparmor.d and reload AppArmor, which gives "
    "mode A2; or set it to 0 with sysctl, which gives mode A1"
)
_CONTAINER = "namespaces are refused, as by Docker's default seccomp profile and its like: mode C is used there"


def bubblewrap() -> str:
    """For bubblewrap, missing or unable to start."""
    if shutil.which("bwrap", path=BWRAP_PLACES) is None:
        return "install bubblewrap (Debian, Ubuntu: apt-get install bubblewrap; Fedora: dnf install bubblewrap)"
    return namespaces()


def namespaces() -> str:
    """For what needs new namespaces."""
    if os.geteuid() == 0:
        return _CONTAINER if _may_administer() else f"root has no CAP_SYS_ADMIN here, so {_CONTAINER}"
    if _setting("kernel/unprivileged_userns_clone") == "0":
        return "namespaces for ordinary users are switched off: sysctl -w kernel.unprivileged_userns_clone=1"
    if _setting("user/max_user_namespaces") == "0":
        return "namespaces for ordinary users are switched off: sysctl -w user.max_user_namespaces=15000"
    if _setting("kernel/apparmor_restrict_unprivileged_userns") == "1":
        return _UBUNTU
    return _CONTAINER


def capabilities_inside() -> str:
    """For capabilities inside bubblewrap."""
    if os.geteuid() != 0 and _setting("kernel/apparmor_restrict_unprivileged_userns") == "1":
        return f"Ubuntu's AppArmor profile for bwrap takes them away: mode A2 does without. {_UBUNTU}"
    return bubblewrap()


def own_uid() -> str:
    """For a user id for each submission."""
    if os.geteuid() != 0:
        return "grade as root to have it; modes A1, A2 and C do without"
    return "root has no CAP_SETUID here, or this user namespace maps no other ids: give the container more of them"


def open_interpreter() -> str:
    """For an interpreter that every user may read."""
    where = f"this Python lies in {sys.base_prefix}"
    return f"install Python, the packages and the grader where everybody may read them, not below /root ({where})"


def rlimits() -> str:
    """For limits of resources."""
    return "this kernel, or what imitates one, does not keep RLIMIT_AS: use an ordinary Linux kernel"


def no_new_privileges() -> str:
    """For giving up new privileges."""
    return "Linux 3.5 or newer, and no seccomp profile that forbids prctl"


def landlock() -> str:
    """For Landlock."""
    lsms = _read("/sys/kernel/security/lsm")
    if lsms and "landlock" not in lsms.split(","):
        return f"boot with lsm=landlock,{lsms} (Linux 5.13 or newer)"
    return "Linux 5.13 or newer with Landlock, `landlock` in its lsm= list, and no seccomp profile that forbids it"


def landlock_scopes() -> str:
    """For Landlock's scopes."""
    return "Linux 6.12 or newer (ABI 6); no mode depends on it, since the system call filter confines signals as well"


def seccomp() -> str:
    """For filters of system calls."""
    return "a kernel with CONFIG_SECCOMP_FILTER, on x86_64 or aarch64"


def _may_administer() -> bool:
    for line in _read("/proc/self/status").splitlines():
        if line.startswith("CapEff:"):
            return bool(int(line.split()[1], 16) >> _CAP_SYS_ADMIN & 1)
    return True


def _setting(name: str) -> str:
    return _read(f"/proc/sys/{name}")


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return ""
