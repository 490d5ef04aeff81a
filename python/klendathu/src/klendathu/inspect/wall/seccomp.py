"""A seccomp filter of allowed system calls: all that Python needs to compute, to read files and to run threads.

Everything else fails with EPERM: no call of the list writes a file that the process did not open for reading only,
connects, signals, starts or traces a process, or changes one that is not itself.
"""

from __future__ import annotations

import struct

from . import kernel

# x86_64, aarch64; 0: no such call.
_ALLOWED = """
read 0 63, write 1 64, close 3 57, fstat 5 80, lseek 8 62, mmap 9 222, mprotect 10 226, munmap 11 215, brk 12 214,
rt_sigaction 13 134, rt_sigprocmask 14 135, rt_sigreturn 15 139, pread64 17 67, pwrite64 18 68, readv 19 65, writev 20 66,
preadv 295 69, pwritev 296 70, preadv2 327 286, pwritev2 328 287, access 21 0, faccessat 269 48, faccessat2 439 439,
pipe 22 0, pipe2 293 59, select 23 0, pselect6 270 72, poll 7 0, ppoll 271 73, sched_yield 24 124, mremap 25 216,
msync 26 227, mincore 27 232, madvise 28 233, dup 32 23, dup2 33 0, dup3 292 24, pause 34 0, nanosleep 35 101,
getitimer 36 102, alarm 37 0, setitimer 38 103, getpid 39 172, stat 4 0, lstat 6 0, newfstatat 262 79, statx 332 291,
statfs 137 43, fstatfs 138 44, uname 63 160, getcwd 79 17, chdir 80 49, fchdir 81 50, readlink 89 0, readlinkat 267 78,
umask 95 166, getdents 78 0, getdents64 217 61, gettimeofday 96 169, time 201 0, getrusage 98 165, sysinfo 99 179,
times 100 153, getuid 102 174, geteuid 107 175, getgid 104 176, getegid 108 177, getgroups 115 158, getresuid 118 148,
getresgid 120 150, getppid 110 173, getpgrp 111 0, getpgid 121 155, getsid 124 156, capget 125 90, rt_sigpending 127 136,
rt_sigtimedwait 128 137, rt_sigsuspend 130 133, sigaltstack 131 132, getpriority 140 141, sched_getparam 143 121,
sched_getscheduler 145 120, sched_get_priority_max 146 125, sched_get_priority_min 147 126, sched_getaffinity 204 123,
getrlimit 97 163, gettid 186 178, futex 202 98, futex_waitv 449 449, set_tid_address 218 96, set_robust_list 273 99,
rseq 334 293, membarrier 324 283, restart_syscall 219 128, exit 60 93, exit_group 231 94, wait4 61 260, waitid 247 95,
clock_gettime 228 113, clock_getres 229 114, clock_nanosleep 230 115, epoll_create 213 0, epoll_create1 291 20,
epoll_ctl 233 21, epoll_wait 232 0, epoll_pwait 281 22, epoll_pwait2 441 441, eventfd 284 0, eventfd2 290 19,
timerfd_create 283 85, timerfd_settime 286 86, timerfd_gettime 287 87, signalfd 282 0, signalfd4 289 74,
getrandom 318 278, getcpu 309 168, close_range 436 436, getsockopt 55 209, getsockname 51 204, getpeername 52 205,
shutdown 48 210, recvfrom 45 207
"""
# Libraries fall back to older calls, whose arguments a filter can read.
_UNKNOWN = "clone3 435 435, openat2 437 437"
_NEWEST = 470
# O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND, O_TMPFILE
_WRITES = 0o1 | 0o2 | 0o100 | 0o1000 | 0o2000 | 0o20000000
# CLONE_NEWTIME to CLONE_NEWNET, CLONE_PTRACE, CLONE_UNTRACED, CLONE_PARENT
_CLONE_REFUSED = 0x7E020080 | 0x2000 | 0x800000 | 0x8000
_CLONE_THREAD = 0x10000

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_EPERM, _ENOSYS = 1, 38
_CALL = {"x86_64": 317, "aarch64": 277}
_SET_MODE_FILTER, _TSYNC = 1, 1

Step = tuple[int, int, int, int]


def _table(text: str) -> list[int]:
    column = 1 if kernel.MACHINE == "x86_64" else 2
    numbers = [int(entry.split()[column]) for entry in text.replace("\n", " ").split(",")]
    # 0 is `read` in the first column, and none in the second.
    return [number for index, number in enumerate(numbers) if number or (column == 1 and index == 0)]


def _argument(index: int, *, high: bool = False) -> Step:
    return (_LOAD, 0, 0, 16 + 8 * index + (4 if high else 0))


def _return(value: int) -> Step:
    return (_RETURN, 0, 0, value)


_refuse, _accept = _return(_ERROR | _EPERM), _return(_ALLOW)


def _one_of(index: int, values: tuple[int, ...]) -> list[Step]:
    return [_argument(index), *[step for value in values for step in ((_EQUAL, 0, 1, value), _accept)], _refuse]


def _without(index: int, bits: int) -> list[Step]:
    return [_argument(index), (_ANY_BIT, 0, 1, bits), _refuse, _accept]


def _null(index: int) -> list[Step]:
    return [_argument(index), (_EQUAL, 0, 3, 0), _argument(index, high=True), (_EQUAL, 0, 1, 0), _accept, _refuse]


# Number on x86_64, on aarch64, and what the arguments have to be.
_CHECKED: list[tuple[int, int, list[Step]]] = [
    (2, 0, _without(1, _WRITES)),  # open
    (257, 56, _without(2, _WRITES)),  # openat
    (56, 220, [_argument(0), (_ANY_BIT, 1, 0, _CLONE_REFUSED), (_ANY_BIT, 1, 0, _CLONE_THREAD), _refuse, _accept]),  # clone
    (72, 25, _one_of(1, (0, 1, 2, 3, 4, 1030))),  # fcntl: F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC
    (16, 29, _one_of(1, (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451))),  # ioctl: TCGETS, sizes, FIONBIO, FIOCLEX
    (157, 167, _one_of(0, (3, 15, 16))),  # prctl: PR_GET_DUMPABLE, PR_SET_NAME, PR_GET_NAME
    (302, 261, _null(2)),  # prlimit64 without new limits
    (44, 206, _null(4)),  # sendto without an address
    (53, 199, _one_of(0, (1,))),  # socketpair of AF_UNIX: event loops
]


def _make_filter() -> bytes:
    is_x86 = kernel.MACHINE == "x86_64"
    steps: list[Step] = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, kernel.ARCHITECTURES[kernel.MACHINE]), _return(_KILL)]
    steps.append((_LOAD, 0, 0, 0))
    if is_x86:
        # The calls of x32 have the same architecture.
        steps += [(_AT_LEAST, 0, 1, 0x40000000), _return(_KILL)]
    for number in _table(_ALLOWED):
        steps += [(_EQUAL, 0, 1, number), _accept]
    for first, second, checks in _CHECKED:
        number = first if is_x86 else second
        if number:
            steps += [(_EQUAL, 0, len(checks), number), *checks]
    for number in _table(_UNKNOWN):
        steps += [(_EQUAL, 0, 1, number), _return(_ERROR | _ENOSYS)]
    steps += [(_AT_LEAST, 0, 1, _NEWEST), _return(_ERROR | _ENOSYS), _refuse]
    return b"".join(struct.pack("<HBBI", *step) for step in steps)


_program = _make_filter() if kernel.IS_KNOWN else b""


def restrict() -> None:
    """All threads of this process, from now on and for ever. Needs PR_SET_NO_NEW_PRIVS. Raises `OSError`."""
    if not _program:
        raise OSError(_ENOSYS, "no filter for this machine")
    buffer, address = kernel.place(_program)
    filters = struct.pack("<HxxxxxxQ", len(_program) // 8, address)
    if kernel.call(_CALL[kernel.MACHINE], _SET_MODE_FILTER, _TSYNC, filters) != 0:
        raise OSError(_EPERM, "a thread cannot be restricted")
