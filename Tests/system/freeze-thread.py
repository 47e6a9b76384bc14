#!/usr/bin/python3
"""Stops one thread of a running process, and no other, until this program ends: a deadlock of that thread, to those
who watch over it. Says "frozen" once it has stopped. Debuggers stop all threads, and signals the process.

Usage: freeze-thread.py PID THREAD    (as root; THREAD may be a pattern; when this is killed, the thread runs on)
"""
import ctypes, fnmatch, os, sys

SEIZE, INTERRUPT = 0x4206, 0x4207
ANY_CHILD = 0x40000000
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


def ptrace(request, thread):
    if libc.ptrace(request, thread, None, None) != 0:
        sys.exit(f"thread {thread} cannot be stopped: {os.strerror(ctypes.get_errno())}")


def thread_named(name, process):
    for thread in os.listdir(f"/proc/{process}/task"):
        with open(f"/proc/{process}/task/{thread}/comm") as file:
            if fnmatch.fnmatchcase(file.read().rstrip("\n"), name):
                return int(thread)
    sys.exit(f"process {process} has no thread {name}")


thread = thread_named(sys.argv[2], sys.argv[1])
ptrace(SEIZE, thread)
ptrace(INTERRUPT, thread)
while os.WIFSTOPPED(os.waitpid(thread, ANY_CHILD)[1]):
    print("frozen", flush=True)
# It is dead, which had to be seen: the kernel would keep the thread, and with it the whole process.
