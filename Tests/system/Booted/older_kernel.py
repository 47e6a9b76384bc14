"""The kernel of Debian 12 beside a newer one: of what locationd uses it lacks two calls."""

import errno
import socket

import seccomp

#: Who connected, as a descriptor (Linux 6.5).
SO_PEERPIDFD = 77
#: Type and number of PIDFD_GET_INFO (Linux 6.13); the rest of the request is the size of its argument.
PIDFD_GET_INFO, REQUEST_MASK = 0xFF0B, 0xFFFF


def refuse_newer_calls():
    """Has the kernel answer this process, and those that it starts, as an older one does."""
    calls = seccomp.SyscallFilter(seccomp.ALLOW)
    # What runs under it may still become another user.
    calls.set_attr(seccomp.Attr.CTL_NNP, 0)
    calls.add_rule(seccomp.ERRNO(errno.ENOPROTOOPT), "getsockopt", seccomp.Arg(1, seccomp.EQ, socket.SOL_SOCKET),
                   seccomp.Arg(2, seccomp.EQ, SO_PEERPIDFD))
    calls.add_rule(seccomp.ERRNO(errno.ENOTTY), "ioctl",
                   seccomp.Arg(1, seccomp.MASKED_EQ, REQUEST_MASK, PIDFD_GET_INFO))
    calls.load()
