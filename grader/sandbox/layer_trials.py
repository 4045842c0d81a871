"""How each layer of confinement is tried, and where to get it: one function a layer.

Runs in a child that `grader.sandbox.layers` forks for one trial, which it does not survive; needs Linux. A trial does
what the sandbox does to its processes, then what the layer must refuse, and returns in one clause what came back; it
raises `Absent` with the same when the layer does not do its work.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import resource
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator

from grader.sandbox import layer_hints as hints
from grader.sandbox.backends import kernel, landlock, seccomp
from grader.sandbox.backends.uids import uids_of_this_process
from grader.sandbox.layers import Absent, Trial

_CLONE_NEWUSER = 0x10000000
_PR_GET_NO_NEW_PRIVS = 39
_UNAME = {"x86_64": 63, "aarch64": 160}
"""Number of a call that honest code makes and a filter can refuse without harm (asm/unistd.h)."""
_OTHER_NAMESPACES = ("--unshare-pid", "--unshare-ipc", "--unshare-net", "--unshare-uts")
_TRY_MOUNTS = (
    "import ctypes, os, sys; libc = ctypes.CDLL(None, use_errno=True); "
    "sys.exit(os.strerror(ctypes.get_errno()) if libc.unshare(0x20000) else 0)"
)


def trials(root: bool) -> tuple[Trial, ...]:
    """Every layer's trial, outermost first, for root or for an ordinary user."""
    confined = ("A1", "A2", "B", "C")
    return (
        Trial("bubblewrap", ("A1", "A2", "B"), _bubblewrap, hints.bubblewrap),
        Trial("user namespaces", ("A1",), _user_namespaces, hints.namespaces),
        Trial("capabilities in bubblewrap", ("A1", "B"), _capabilities_inside, hints.capabilities_inside),
        Trial("own namespaces", ("A1", "B"), _own_namespaces, hints.namespaces),
        Trial("sized tmpfs", ("A1", "B"), _sized_tmpfs, hints.namespaces),
        Trial("own uid", ("B", "C") if root else ("B",), _own_uid, hints.own_uid),
        Trial("open interpreter", ("C",), _open_interpreter, hints.open_interpreter),
        Trial("rlimits", confined, _rlimits, hints.rlimits),
        Trial("no_new_privs", confined, _no_new_privileges, hints.no_new_privileges),
        Trial("Landlock", confined, _landlock, hints.landlock),
        Trial("Landlock scopes", (), _landlock_scopes, hints.landlock_scopes),
        Trial("seccomp", confined, _seccomp, hints.seccomp),
    )


@contextlib.contextmanager
def _step(what: str) -> Iterator[None]:
    """Something that must work."""
    try:
        yield
    except OSError as error:
        raise Absent(f"{what}: {os.strerror(error.errno) if error.errno else error}") from None


def _refused(what: str, call: Callable[[], object]) -> str:
    """What came back from something that must be refused, for want of permission or of room."""
    try:
        call()
    except OSError as error:
        if error.errno in (errno.EPERM, errno.EACCES, errno.ENOSPC):
            return f"{what}: {os.strerror(error.errno)}"
        raise Absent(f"{what}: {error}") from None
    raise Absent(f"{what}: it worked")


def _find_bubblewrap() -> str:
    found = shutil.which("bwrap", path=hints.BWRAP_PLACES)
    if found is None:
        raise Absent(f"looked for bwrap in {hints.BWRAP_PLACES.replace(':', ', ')}: not there")
    return found


def _run_in_bubblewrap(arguments: list[str], command: list[str]) -> None:
    """Raises Absent, with bubblewrap's or the command's last line, unless the command ends well."""
    namespaces = _OTHER_NAMESPACES if os.geteuid() == 0 else ("--unshare-user", "--unshare-all")
    outer = [_find_bubblewrap(), "--die-with-parent", "--new-session", *namespaces, *arguments]
    mounts = ["--ro-bind", "/", "/", "--proc", "/proc"]
    ran = subprocess.run([*outer, *mounts, "--", *command], capture_output=True, check=False)
    if ran.returncode:
        said = ran.stderr.decode("utf-8", "replace").strip().splitlines() or [f"status {ran.returncode}"]
        words = said[-1].removeprefix("bwrap: ").partition(". See ")[0]
        raise Absent(f"bwrap {namespaces[0]} … {os.path.basename(command[0])}: {words}")


def _bubblewrap() -> str:
    _run_in_bubblewrap([], ["true"])
    return f"bwrap {'as root' if os.geteuid() == 0 else '--unshare-user'} … true: it ran"


def _capabilities_inside() -> str:
    kept = ["--cap-drop", "ALL"] if os.geteuid() == 0 else []
    _run_in_bubblewrap([*kept, "--cap-add", "CAP_SYS_ADMIN"], [sys.executable, "-I", "-S", "-c", _TRY_MOUNTS])
    return "bwrap --cap-add CAP_SYS_ADMIN …, unshare(CLONE_NEWNS) in it: it worked"


def _user_namespaces() -> str:
    with _step("unshare(CLONE_NEWUSER)"):
        kernel.unshare(_CLONE_NEWUSER)
    with _step("unshare(CLONE_NEWUSER) worked, unshare(CLONE_NEWNS) in it"):
        kernel.unshare(kernel.CLONE_NEWNS)
    return "unshare(CLONE_NEWUSER), unshare(CLONE_NEWNS) in it: both worked"


def _with_capabilities() -> None:
    """An ordinary user gets them in a user namespace of their own."""
    uid, gid = os.geteuid(), os.getegid()
    if uid == 0:
        return
    with _step("unshare(CLONE_NEWUSER)"):
        kernel.unshare(_CLONE_NEWUSER)
    for name, content in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        with _step(f"unshare(CLONE_NEWUSER) worked, writing {name}"), open(f"/proc/self/{name}", "w") as file:
            file.write(content)


def _own_namespaces() -> str:
    _with_capabilities()
    what = "unshare(PID, mount, network, IPC, UTS)"
    with _step(what):
        kernel.unshare(
            kernel.CLONE_NEWPID | kernel.CLONE_NEWNS | kernel.CLONE_NEWNET | kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS
        )
    pid = os.fork()
    if pid == 0:
        os._exit(0 if os.getpid() == 1 else 1)
    if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]):
        raise Absent(f"{what} worked, but a child is not process 1")
    return f"{what}, fork: the child is process 1"


def _sized_tmpfs() -> str:
    _with_capabilities()
    with _step("unshare(CLONE_NEWNS)"):
        kernel.unshare(kernel.CLONE_NEWNS)
    folder = tempfile.gettempdir()
    with _step("mount(tmpfs)"):
        kernel.mount(None, "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
        flags = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC
        kernel.mount("tmpfs", folder, "tmpfs", flags, "size=65536,nr_inodes=8,mode=0777")

    def write_too_much() -> None:
        with open(f"{folder}/big", "wb", buffering=0) as file:
            for _ in range(32):
                file.write(bytes(4096))

    def make_too_many() -> None:
        for number in range(8):
            open(f"{folder}/{number}", "wb").close()

    _refused("writing 128 KB to a tmpfs of 64 KB", write_too_much)
    os.unlink(f"{folder}/big")
    return "64 KB, 8 inodes; " + _refused("beyond", make_too_many)


def _become_another() -> int:
    try:
        uid = uids_of_this_process().start
    except LookupError as error:
        raise Absent(str(error)) from None
    with _step(f"setresuid({uid})"):
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    return uid


def _own_uid() -> str:
    if os.geteuid() != 0:
        raise Absent("nothing: only root can become another user")
    uid = _become_another()
    with contextlib.suppress(OSError):
        os.setresuid(0, 0, 0)
        raise Absent(f"setresuid({uid}) worked, and so did the way back")
    return f"setresuid({uid}): it worked, and there is no way back"


def _open_interpreter() -> str:
    who = f"uid {_become_another()}" if os.geteuid() == 0 else "this user"
    for path in (os.__file__, __file__):
        with _step(f"{os.path.basename(path)}, read by {who}"), open(path, "rb") as file:
            file.read(1)
    return f"os.py, read by {who}: it worked"


def _rlimits() -> str:
    with open("/proc/self/statm") as file:
        present = int(file.read().split()[0]) * resource.getpagesize()
    room, hard = present + (64 << 20), resource.getrlimit(resource.RLIMIT_AS)[1]
    allowed = room if hard == resource.RLIM_INFINITY else min(room, hard)
    with _step("setrlimit(RLIMIT_AS)"):
        resource.setrlimit(resource.RLIMIT_AS, (allowed, allowed))
    try:
        bytearray(256 << 20)
    except MemoryError:
        return "RLIMIT_AS of 64 MB, taking 256 MB: MemoryError"
    raise Absent("RLIMIT_AS of 64 MB, taking 256 MB: it worked")


def _no_new_privileges() -> str:
    with _step("prctl(PR_SET_NO_NEW_PRIVS)"):
        kernel.forbid_new_privileges()
        found = kernel.prctl(_PR_GET_NO_NEW_PRIVS)
    if found != 1:
        raise Absent(f"prctl(PR_SET_NO_NEW_PRIVS) worked, but reads back {found}")
    return "prctl(PR_SET_NO_NEW_PRIVS): set, and reads back 1"


def _restrict() -> int:
    """Landlock without a rule; returns the ABI."""
    if not landlock.abi():
        raise Absent(f"landlock_create_ruleset: {os.strerror(ctypes.get_errno())}")
    with _step("landlock_restrict_self"):
        kernel.forbid_new_privileges()
        return landlock.restrict([])


def _landlock() -> str:
    open(os.__file__, "rb").close()  # must work before
    version = _restrict()
    return f"ABI {version}; restricted, " + _refused("open os.py", lambda: open(os.__file__, "rb").close())


def _landlock_scopes() -> str:
    address = f"\0grader-doctor-{os.getpid()}"
    with _step("listening on an abstract socket"):
        server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        server.bind(address)
        server.listen(1)
        client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = f"ABI {_restrict()}; restricted, "
    try:
        signal = _refused("signal to the parent", lambda: os.kill(os.getppid(), 0))
        return f"{before}{signal}; " + _refused("abstract socket", lambda: client.connect(address))
    except Absent as absent:
        raise Absent(f"{before}{absent}") from None


def _seccomp() -> str:
    number = _UNAME.get(kernel.machine())
    if number is None:
        raise Absent(f"nothing: there is no table of system calls for the processor {kernel.machine()}")
    steps = ((0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, 0x00050000 | errno.EPERM), (0x06, 0, 0, 0x7FFF0000))
    program = b"".join(struct.pack("HBBI", *step) for step in steps)
    with _step("seccomp(SECCOMP_SET_MODE_FILTER)"):
        kernel.forbid_new_privileges()
        seccomp.install(program, kernel.machine())
    return "filter installed, " + _refused("uname() that it forbids", os.uname)
