// The Linux calls that Swift's Glibc module hides; each says why it is here.
// No system header beyond the fixed-width integers is included: with _GNU_SOURCE, which most of these need, a second
// view of the C library would clash with Swift's own.
#ifndef CLINUX_H
#define CLINUX_H

#include <stddef.h>
#include <stdint.h>

struct clinux_peer {
    int32_t pid;
    uint32_t uid;
    uint32_t gid;
};

/// The credentials of the process that connected the socket. Returns 0, or -1 with errno.
/// (struct ucred exists only under _GNU_SOURCE.)
int clinux_peer_credentials(int descriptor, struct clinux_peer *peer);

/// Accepts the next connection: a non-blocking close-on-exec descriptor, or -1 with errno.
/// (accept4 needs _GNU_SOURCE.)
int clinux_accept(int listener);

/// The peer's supplementary groups. Returns their number, which may exceed `capacity` (then none is written), or -1
/// with errno. (SO_PEERGROUPS is missing from Swift's view of <sys/socket.h>.)
int clinux_peer_groups(int descriptor, uint32_t *groups, int capacity);

/// Nanoseconds since boot, sleep included. (CLOCK_BOOTTIME is a macro Swift does not import as a clockid_t.)
int64_t clinux_boot_nanoseconds(void);

/// The environment of the process, for a child. (`environ` is a variable that Swift takes for unsafe to share.)
char *const *clinux_environment(void);

/// Limits another process: the bytes of memory of its own (RLIMIT_DATA) and, unless 0, the seconds of processor time
/// (RLIMIT_CPU). (prlimit needs _GNU_SOURCE.)
/// \returns 0, or -1 with errno.
int clinux_limit_process(int process, uint64_t bytes, uint64_t seconds);

/// A non-blocking event counter, or -1. (<sys/eventfd.h> is not part of the Glibc module.)
int clinux_eventfd(void);

/// Names the calling thread, at most 15 characters. (pthread_setname_np needs _GNU_SOURCE.)
void clinux_name_thread(const char *name);

/// memmem(3): the first occurrence of some bytes within others, or NULL. (It needs _GNU_SOURCE.)
const void *clinux_find(const void *bytes, size_t count, const void *wanted, size_t length);

/// malloc_trim(3): returns freed memory to the system, from all of the C library's arenas. (Its header is not part of
/// the Glibc module.)
void clinux_give_memory_back(void);

/// Lets the kernel write no memory of this process into a core file, and no process of the same user read it.
/// (prctl(2) takes a variable number of arguments.)
void clinux_forbid_core_file(void);

/// Unmaps the pages of the program's file that are only read. The kernel keeps them as a cache for as long as it has no better use for
/// the memory, and maps those that are used again. Returns 0, or -1 with errno. (<link.h> needs _GNU_SOURCE.)
int clinux_unmap_program(void);

/// The number of bytes sent over a Unix socket that the peer has not received, including the kernel's overhead. 0 if
/// the descriptor is no socket.
int clinux_unread(int descriptor);

/// send(2) that neither blocks nor raises SIGPIPE. (The MSG_ flags arrive in Swift as values of distinct enums.)
ptrdiff_t clinux_send(int descriptor, const void *bytes, size_t count);

/// The process that connected the socket: a new close-on-exec pidfd, which refers to this process even if its pid is
/// reused. Returns -1 with errno, which is ENOSYS where the kernel does not have the call. (SO_PEERPIDFD, Linux 6.5, is
/// newer than the C library's headers.)
int clinux_peer_process(int descriptor);

/// The process that has this pid now: a close-on-exec pidfd, or -1 with errno, which is ENOSYS where the kernel does
/// not have the call. (pidfd_open, Linux 5.3, has no function in older C libraries.)
int clinux_open_process(int32_t pid);

/// The id of a process's control group in the unified hierarchy. Returns 0, or -1 with errno, which is ENOSYS where the
/// kernel does not report it and ESRCH when the process is gone. (PIDFD_GET_INFO, Linux 6.13, is newer than the
/// system's headers.)
int clinux_process_control_group(int process, uint64_t *group);

/// An empty epoll set, closed on exec, or -1 with errno. (<sys/epoll.h>, like the two functions that follow, is not
/// part of the Glibc module.)
int clinux_epoll(void);

/// Adds a descriptor; `tag` is reported each time it is readable or, if `once`, the first time only. Returns 0, or -1
/// with errno. (struct epoll_event is a packed union, which Swift cannot lay out.)
int clinux_epoll_add(int epoll, int descriptor, uint64_t tag, int once);

/// Waits without a time-out until descriptors are readable; returns the number of tags written, 64 at most, or -1 with
/// errno.
int clinux_epoll_wait(int epoll, uint64_t *tags, int capacity);

/// Sends a datagram to the Unix socket that is bound to a path now; neither blocks nor raises SIGPIPE. Returns 0, or -1
/// with errno. (struct sockaddr_un's path arrives in Swift as a tuple of 108 values.)
int clinux_send_datagram(int descriptor, const char *path, const void *bytes, size_t count);

/// The same for bytes too long for a datagram: they are put into a sealed memfd, whose descriptor is passed.
/// (memfd_create, its seals and the macros of control messages are hidden from Swift.)
int clinux_send_sealed(int descriptor, const char *path, const void *bytes, size_t count);

/// 1 if something sets the kernel's clock by a reference, 0 if not, -1 with errno if a sandbox refuses the call. (Nothing is
/// changed; <sys/timex.h> is not part of the Glibc module.)
int clinux_clock_is_synchronized(void);

/// The user who owns the client's end of a TCP connection within this machine, by NETLINK_SOCK_DIAG; `client` and `server`
/// are the sockaddr of both ends. Returns 0, or -1 with errno: ENOENT if no socket of this network namespace is that end, or
/// its process has closed it. (Its headers are not part of the Glibc module.)
int clinux_tcp_owner(const void *client, const void *server, uint32_t *uid);

#endif
