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

/// Who connected the socket, as the kernel recorded it. Returns 0, or -1 with errno.
/// (struct ucred exists only under _GNU_SOURCE.)
int clinux_peer_credentials(int descriptor, struct clinux_peer *peer);

/// The peer's supplementary groups. Returns how many there are, which may exceed `capacity` (then none is written),
/// or -1 with errno. (SO_PEERGROUPS is missing from Swift's view of <sys/socket.h>.)
int clinux_peer_groups(int descriptor, uint32_t *groups, int capacity);

/// Nanoseconds since boot, sleep included. (CLOCK_BOOTTIME is a macro Swift does not import as a clockid_t.)
int64_t clinux_boot_nanoseconds(void);

/// A non-blocking event counter, or -1. (<sys/eventfd.h> is not part of the Glibc module.)
int clinux_eventfd(void);

/// Names the calling thread, at most 15 characters. (pthread_setname_np needs _GNU_SOURCE.)
void clinux_name_thread(const char *name);

/// send(2) that neither blocks nor raises SIGPIPE. (The MSG_ flags arrive in Swift as values of distinct enums.)
ptrdiff_t clinux_send(int descriptor, const void *bytes, size_t count);

#endif
