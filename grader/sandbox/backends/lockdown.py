"""The order in which a freshly forked process gives up what it could do, before it reads student code.

Runs in the student process, called by the forkserver right after fork. The order matters: mounts need capabilities,
a change of uid clears the death signal, Landlock and seccomp need no_new_privs, and nothing of ours may need a refused
call afterwards. A step that fails raises: the process then reports the failure and ends without having seen a byte of
student code, so that nothing ever runs with a layer missing.
"""

from __future__ import annotations

import contextlib
import os
import resource
import tempfile
from dataclasses import dataclass, field

from grader.sandbox.backends import kernel, landlock, seccomp

SCRATCH = "/box"
"""Where a process with a tmpfs of its own may write; also seen as /tmp."""
NOWHERE = "/nonexistent"
"""Home and temporary folder of a process that may write nowhere."""
_OWN_PROC_FILES = ("status", "stat", "statm", "limits", "cmdline", "comm", "environ", "io")
"""What a process may read of itself in /proc. Not its mounts, whose sources are paths of the machine."""


@dataclass(frozen=True)
class Plan:
    """What to confine a process with. Sizes are in bytes, `cpu_seconds` whole seconds of processor time.

    `namespaces`: new mount, network, IPC and UTS namespaces, own tmpfs and /proc (needs CAP_SYS_ADMIN). `exposed`:
    others of the same user are in reach. `uid`: become this user (needs root's capabilities). `filtered`: no
    capabilities, no_new_privs, seccomp. `readable`: paths that Landlock leaves readable, None for no Landlock.
    `tasks`: processes and threads that the user may have. `scratch`: the folder to write to, None for none.
    """

    namespaces: bool
    exposed: bool
    uid: int | None
    readable: tuple[str, ...] | None
    filtered: bool
    multi: bool
    memory: int
    cpu_seconds: int
    tasks: int | None
    scratch_bytes: int
    scratch_files: int
    scratch: str | None
    environment: dict[str, str] = field(default_factory=dict)


def confine(plan: Plan) -> list[str]:
    """Apply every layer of the plan; returns the names of the layers, outermost first.

    Raises:
        OSError: a layer could not be put in place. The process must not go on.
    """
    os.setsid()
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")  # should memory run out, this process is the first to go
    layers = []
    if plan.filtered:
        kernel.die_with_parent()
    if plan.namespaces:
        layers += _enter_namespaces(plan)
    if plan.uid is not None:
        _become(plan.uid)
        layers.append("own uid")
    _set_environment(plan)
    _limit(plan)
    layers.append("rlimits")
    if plan.filtered:
        kernel.drop_bounding_set()
        kernel.drop_capabilities()
        kernel.forbid_new_privileges()
        layers += ["no capabilities", "no_new_privs"]
    if plan.readable is not None:
        version = landlock.restrict(_landlock_rules(plan))
        layers.append(f"Landlock {version}")
    if plan.filtered:
        machine = kernel.machine()
        own_pid = os.getpid() if plan.exposed else None
        seccomp.install(seccomp.program(machine, plan.multi, own_pid), machine)
        layers.append("seccomp")
    return layers


def _enter_namespaces(plan: Plan) -> list[str]:
    kernel.unshare(kernel.CLONE_NEWNS | kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS | kernel.CLONE_NEWNET)
    kernel.mount(None, "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    plain_files = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC
    size = f"size={plan.scratch_bytes},nr_inodes={plan.scratch_files},mode=0777"
    kernel.mount("tmpfs", SCRATCH, "tmpfs", plain_files, size)
    kernel.mount(SCRATCH, "/tmp", None, kernel.MS_BIND)
    shared = f"size={plan.scratch_bytes // 2},nr_inodes=200,mode=0777"
    kernel.mount("tmpfs", "/dev/shm", "tmpfs", plain_files, shared)
    kernel.mount("proc", "/proc", "proc", plain_files, "subset=pid,hidepid=ptraceable")
    return ["PID, mount, network, IPC and UTS namespaces", "sized tmpfs", "own /proc"]


def _become(uid: int) -> None:
    kernel.drop_bounding_set()  # before the change: it needs CAP_SETPCAP
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    kernel.die_with_parent()


def _set_environment(plan: Plan) -> None:
    os.environ.clear()
    os.environ.update(plan.environment)
    # Imports of the warm interpreter have cached another folder. Where none can be written, modules that only ask for
    # its name go on.
    tempfile.tempdir = None if plan.scratch else NOWHERE
    os.umask(0o077)
    os.chdir(plan.scratch or "/")


def _limit(plan: Plan) -> None:
    limits = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: 64,
        resource.RLIMIT_FSIZE: plan.scratch_bytes if plan.scratch else 0,
        # The first process of a PID namespace ignores SIGXCPU: only the hard limit ends it, with SIGKILL.
        resource.RLIMIT_CPU: plan.cpu_seconds,
        resource.RLIMIT_STACK: 8 << 20,
    }
    if plan.memory:
        limits[resource.RLIMIT_AS] = plan.memory
    for name, value in (("RLIMIT_MEMLOCK", 0), ("RLIMIT_MSGQUEUE", 0), ("RLIMIT_SIGPENDING", 64)):
        if hasattr(resource, name):
            limits[getattr(resource, name)] = value
    if plan.tasks is not None:
        limits[resource.RLIMIT_NPROC] = plan.tasks
    for kind, value in limits.items():
        hard = resource.getrlimit(kind)[1]
        allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (allowed, allowed))


def _landlock_rules(plan: Plan) -> list[tuple[str, int]]:
    rules = [(path, landlock.READ) for path in plan.readable or ()]
    rules += [("/dev/urandom", landlock.READ), ("/dev/zero", landlock.READ), ("/dev/null", landlock.WRITE_FILE)]
    rules += [(f"/proc/self/{name}", landlock.READ) for name in _OWN_PROC_FILES]
    rules += [("/proc/self/fd", landlock.LIST), ("/proc/self/task", landlock.LIST)]
    if plan.scratch is not None:
        rules.append((plan.scratch, landlock.READ_WRITE))
    if plan.namespaces:
        rules.append(("/dev/shm", landlock.READ_WRITE))
    return rules


def student_environment(scratch: str | None) -> dict[str, str]:
    """The environment variables of a student process: nothing of the machine's own."""
    home = scratch or NOWHERE
    # torch's compiler, which the first step of an optimiser imports, makes this folder: one that exists is left alone.
    compiler = {} if scratch else {"TORCHINDUCTOR_CACHE_DIR": "/"}
    return compiler | {
        "HOME": home,
        "TMPDIR": home,
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "USER": "student",
        "LOGNAME": "student",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MPLBACKEND": "Agg",
        "MPLCONFIGDIR": f"{home}/matplotlib",
        "XDG_CACHE_HOME": f"{home}/cache",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
