// The Linux calls that Swift's Glibc module hides, as static inlines; each says why it is here.
#ifndef CLINUX_H
#define CLINUX_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

// struct ucred exists only under _GNU_SOURCE, which the Glibc module map does not set.
struct clinux_peer {
    pid_t pid;
    uid_t uid;
    gid_t gid;
};

/// Fills in who connected the socket, as the kernel recorded it. Returns 0, or -1 with errno.
static inline int clinux_peer_credentials(int descriptor, struct clinux_peer *peer) {
    struct ucred credentials;
    socklen_t size = sizeof credentials;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return -1;
    peer->pid = credentials.pid;
    peer->uid = credentials.uid;
    peer->gid = credentials.gid;
    return 0;
}

// SO_PEERGROUPS is missing from Swift's view of <sys/socket.h>.
#ifndef SO_PEERGROUPS
#define SO_PEERGROUPS 59
#endif

/// The peer's supplementary groups. Returns how many there are, which may exceed `capacity` (then none is
/// written), or -1 with errno.
static inline int clinux_peer_groups(int descriptor, gid_t *groups, int capacity) {
    socklen_t size = (socklen_t)capacity * sizeof(gid_t);
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERGROUPS, groups, &size) != 0 && errno != ERANGE) return -1;
    return (int)(size / sizeof(gid_t));
}

// CLOCK_BOOTTIME is a macro Swift does not import as a clockid_t.
/// Nanoseconds since boot, sleep included.
static inline int64_t clinux_boot_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// <sys/eventfd.h> is not part of the Glibc module.
static inline int clinux_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

// pthread_setname_np needs _GNU_SOURCE.
/// Names the calling thread, at most 15 characters.
static inline void clinux_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

// MSG_* flags arrive in Swift as distinct enum types; one call spares the hot path their conversion.
/// send(2) that neither blocks nor raises SIGPIPE.
static inline ssize_t clinux_send(int descriptor, const void *bytes, size_t count) {
    return send(descriptor, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
}

#endif
