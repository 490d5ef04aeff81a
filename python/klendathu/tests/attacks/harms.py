"""What must not happen: statements for each kind of harm, by functions of Python and by functions of C.

Names of the program: ROOT (the project), HOME, FILE (a file of the project), PORT and UNIX (listeners), PIPE and SOCKET
(open), SHARED (mmap), PID (the program), VICTIM (another process), C (functions of the C library), TARGET (address of a
byte of the program).
"""

PYTHON = {
    "delete a file": "import os; os.unlink(FILE)",
    "write a file": "open(FILE, 'w').write('x')",
    "create a file": "import os; os.open(ROOT + '/new', os.O_CREAT | os.O_RDWR)",
    "truncate a file": "import os; os.truncate(FILE, 0)",
    "truncate by a read": "import os; os.open(FILE, os.O_RDONLY | os.O_TRUNC)",
    "rename a file": "import os; os.rename(FILE, ROOT + '/new')",
    "change a mode": "import os; os.chmod(FILE, 0o777)",
    "change a time": "import os; os.utime(FILE, (1, 1))",
    "make a folder": "import os; os.mkdir(ROOT + '/new')",
    "make a link": "import os; os.symlink('/etc/passwd', ROOT + '/new')",
    "make a hard link": "import os; os.link(FILE, ROOT + '/new')",
    "make a pipe": "import os; os.mkfifo(ROOT + '/new')",
    "write outside": "open(HOME + '/new', 'w')",
    "attach a database": "import sqlite3; sqlite3.connect(':memory:').execute(f\"attach '{ROOT}/new' as x\").connection.execute('create table x.t (a)')",
    "run a shell": "import os; os.system('touch ' + ROOT + '/new')",
    "run a program": "import subprocess; subprocess.run(['touch', ROOT + '/new'])",
    "spawn a program": "import os; os.waitpid(os.posix_spawn('/bin/sh', ['sh', '-c', 'echo > ' + ROOT + '/new'], {}), 0)",
    "replace the process": "import os; os.execv('/bin/sh', ['sh', '-c', 'echo > ' + ROOT + '/new'])",
    "signal the program": "import os; os.kill(PID, 10)",
    "end a process": "import os; os.kill(VICTIM, 9)",
    "end a process by a handle": "import os, signal; signal.pidfd_send_signal(os.pidfd_open(VICTIM), 9)",
    "connect by TCP": "import socket; socket.create_connection(('127.0.0.1', PORT), 1)",
    "connect by a path": "import socket; socket.socket(socket.AF_UNIX).connect(UNIX)",
    "send by UDP": "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', PORT))",
    "read a key": "with open(HOME + '/.ssh/id_ed25519') as f: print(f.read())",
    "read the home folder": "import os; fd = os.open(HOME + '/notes.txt', 0); print(os.read(fd, 100))",
    "read a secret file": "print(open(ROOT + '/.env').read())",
    "read a link to it": "print(open(ROOT + '/link.txt').read())",
    "read a hard link to it": "print(open(ROOT + '/hard.txt').read())",
    "read the environment": "print(open(f'/proc/{PID}/environ', 'rb').read())",
    "read its own environment": "print(open('/proc/self/environ', 'rb').read())",
    "write to a pipe": "import os; os.write(PIPE, b'x')",
    "write to a reopened pipe": "import os; os.write(os.open(f'/proc/{PID}/fd/{PIPE}', os.O_WRONLY), b'x')",
    "send on a connection": "SOCKET.send(b'x')",
    "write to shared memory": "SHARED[0] = 120",
    "change a priority": "import os; os.setpriority(os.PRIO_PROCESS, PID, 15)",
    "change a limit": "import resource; resource.prlimit(PID, resource.RLIMIT_NOFILE, (60, 60))",
}

# By the numbers of x86_64, so that no name of a function is needed.
NATIVE = {
    "delete a file (C)": "C['unlink'](FILE.encode())",
    "write a file (C)": "C['write'](C['open'](FILE.encode(), 0x241, 0o644), b'x', 1)",
    "truncate a file (C)": "C['truncate'](FILE.encode(), 0)",
    "rename a file (C)": "C['rename'](FILE.encode(), (ROOT + '/new').encode())",
    "change a mode (C)": "C['chmod'](FILE.encode(), 0o777)",
    "run a shell (C)": "C['system'](('touch ' + ROOT + '/new').encode())",
    "fork (C)": "C['fork']() or C['unlink'](FILE.encode())",
    "signal the program (C)": "C['kill'](PID, 10)",
    "end a process (C)": "C['kill'](VICTIM, 9)",
    "end a thread of a process (C)": "C['syscall'](234, VICTIM, VICTIM, 9)",
    "connect by TCP (C)": "import struct; C['connect'](C['socket'](2, 1, 0), struct.pack('<H', 2) + struct.pack('>H', PORT) + bytes([127, 0, 0, 1]) + bytes(8), 16)",
    "read a key (C)": "b = bytearray(99); fd = C['open']((HOME + '/.ssh/id_ed25519').encode(), 0)\nimport os; print(os.read(fd, 99))",
    "read a secret file (C)": "import os; print(os.read(C['open']((ROOT + '/.env').encode(), 0), 99))",
    "read a hard link to it (C)": "import os; print(os.read(C['open']((ROOT + '/hard.txt').encode(), 0), 99))",
    "write to shared memory (C)": "C['memset'](C['shared'], 120, 1)",
    "write to shared memory after a change of rights (C)": "C['syscall'](10, C['shared'], 4096, 3); C['memset'](C['shared'], 120, 1)",
    "write to memory of the program (C)": "import struct; v = bytearray(b'x'); n = id(b'x') + 32; C['syscall'](311, PID, struct.pack('<QQ', n, 1), 1, struct.pack('<QQ', TARGET, 1), 1, 0)",
    "trace the program (C)": "C['syscall'](101, 16, PID, 0, 0)",
    "make a ring (C)": "print('EFFECT') if C['syscall'](425, 8, bytes(120)) >= 0 else 0",
    "make a namespace (C)": "print('EFFECT') if C['syscall'](272, 0x10000000) == 0 else 0",
    "steal a descriptor (C)": "p = C['syscall'](434, PID, 0); print('EFFECT') if p >= 0 and C['syscall'](438, p, PIPE, 0) >= 0 else 0",
    "own a pipe by a signal (C)": "import os; r, w = os.pipe(); C['syscall'](72, r, 8, PID); C['syscall'](72, r, 10, 10); C['syscall'](72, r, 4, 0o20000); os.write(w, b'x')",
    "raise a limit (C)": "import struct; print('EFFECT') if C['syscall'](302, 0, 9, struct.pack('<QQ', 1 << 40, 1 << 40), None) == 0 else 0",
    "attach system V memory (C)": "print('EFFECT') if C['syscall'](29, 4711, 4096, 0o1600) >= 0 else 0",
    "call by another architecture (C)": "C['syscall'](0x40000000 + 87, FILE.encode())",
}

HARMS = {**PYTHON, **NATIVE}
