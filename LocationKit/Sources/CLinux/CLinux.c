#define _GNU_SOURCE 1
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/sockios.h>
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#ifndef SO_PEERGROUPS
#define SO_PEERGROUPS 59
#endif
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

int clinux_peer_credentials(int descriptor, struct clinux_peer *peer) {
    struct ucred credentials;
    socklen_t size = sizeof credentials;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return -1;
    peer->pid = credentials.pid;
    peer->uid = credentials.uid;
    peer->gid = credentials.gid;
    return 0;
}

int clinux_accept(int listener) {
    return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

int clinux_peer_groups(int descriptor, uint32_t *groups, int capacity) {
    _Static_assert(sizeof(gid_t) == sizeof(uint32_t), "a group is 32 bits on Linux");
    socklen_t size = (socklen_t)capacity * sizeof(gid_t);
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERGROUPS, groups, &size) != 0 && errno != ERANGE) return -1;
    return (int)(size / sizeof(gid_t));
}

int64_t clinux_boot_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

char *const *clinux_environment(void) { return environ; }

int clinux_limit_process(int process, uint64_t bytes, uint64_t seconds) {
    const struct rlimit data = {bytes, bytes}, time = {seconds, seconds};
    if (prlimit(process, RLIMIT_DATA, &data, NULL) != 0) return -1;
    return seconds == 0 ? 0 : prlimit(process, RLIMIT_CPU, &time, NULL);
}

int clinux_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void clinux_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

const void *clinux_find(const void *bytes, size_t count, const void *wanted, size_t length) {
    return memmem(bytes, count, wanted, length);
}

void clinux_give_memory_back(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

void clinux_forbid_core_file(void) { prctl(PR_SET_DUMPABLE, 0); }

// The program itself comes first, and ends the search. Its last page, which the segment may fill in part only, is left alone.
static int unmap_segments(struct dl_phdr_info *program, size_t size, void *result) {
    (void)size;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < program->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &program->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_W) != 0) continue;
        uintptr_t begin = program->dlpi_addr + segment->p_vaddr, end = (begin + segment->p_memsz) & ~(page - 1);
        begin &= ~(page - 1);
        if (end > begin && madvise((void *)begin, end - begin, MADV_DONTNEED) != 0) *(int *)result = -1;
    }
    return 1;
}

int clinux_unmap_program(void) {
    int result = 0;
    dl_iterate_phdr(unmap_segments, &result);
    return result;
}

int clinux_unread(int descriptor) {
    int count;
    return ioctl(descriptor, SIOCOUTQ, &count) == 0 ? count : 0;
}

ptrdiff_t clinux_send(int descriptor, const void *bytes, size_t count) {
    return send(descriptor, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
}

int clinux_peer_process(int descriptor) {
    int process = -1;
    socklen_t size = sizeof process;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERPIDFD, &process, &size) == 0) return process;
    if (errno == ENOPROTOOPT) errno = ENOSYS;
    return -1;
}

int clinux_open_process(int32_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

// The first edition of the kernel's struct pidfd_info, which every later kernel understands.
struct process_information {
    uint64_t mask;
    uint64_t control_group;
    uint32_t not_asked[11];
    int32_t exit_code;
};

#define PROCESS_INFORMATION _IOWR(0xFF, 11, struct process_information)
#define PROCESS_INFORMATION_CONTROL_GROUP (UINT64_C(1) << 2)

int clinux_process_control_group(int process, uint64_t *group) {
    _Static_assert(sizeof(struct process_information) == 64, "the size is part of the call's number");
    struct process_information information = {.mask = PROCESS_INFORMATION_CONTROL_GROUP};
    if (ioctl(process, PROCESS_INFORMATION, &information) != 0) {
        // Kernels before Linux 6.13 do not have this request (ENOTTY), or reject its argument (EINVAL).
        if (errno == ENOTTY || errno == EINVAL) errno = ENOSYS;
        return -1;
    }
    // A kernel built without control groups answers without the group.
    if ((information.mask & PROCESS_INFORMATION_CONTROL_GROUP) == 0) {
        errno = ENOSYS;
        return -1;
    }
    *group = information.control_group;
    return 0;
}

int clinux_epoll(void) { return epoll_create1(EPOLL_CLOEXEC); }

int clinux_epoll_add(int epoll, int descriptor, uint64_t tag, int once) {
    struct epoll_event event = {.events = EPOLLIN | (once ? EPOLLONESHOT : 0), .data.u64 = tag};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

int clinux_epoll_wait(int epoll, uint64_t *tags, int capacity) {
    struct epoll_event events[64];
    int count = epoll_wait(epoll, events, capacity < 64 ? capacity : 64, -1);
    for (int i = 0; i < count; i++) tags[i] = events[i].data.u64;
    return count;
}

static int send_to(int descriptor, const char *path, struct msghdr *message) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    if (length >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(address.sun_path, path, length);
    message->msg_name = &address;
    message->msg_namelen = sizeof address;
    return sendmsg(descriptor, message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -1 : 0;
}

int clinux_send_datagram(int descriptor, const char *path, const void *bytes, size_t count) {
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    return send_to(descriptor, path, &message);
}

static int write_all(int file, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t written = write(file, bytes, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return -1;
        bytes += written;
        count -= (size_t)written;
    }
    return 0;
}

int clinux_send_sealed(int descriptor, const char *path, const void *bytes, size_t count) {
    int memory = memfd_create("datagram", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (memory < 0) return -1;
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {.room = {0}};
    struct msghdr message = {.msg_control = &control, .msg_controllen = sizeof control};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof memory);
    memcpy(CMSG_DATA(header), &memory, sizeof memory);
    int result = write_all(memory, bytes, count);
    if (result == 0) result = fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
    if (result == 0) result = send_to(descriptor, path, &message);
    int error = errno;
    close(memory);
    errno = error;
    return result;
}

int clinux_clock_is_synchronized(void) {
    // A filter of system calls forbids this one as a rule, and may kill who tries.
    if (prctl(PR_GET_SECCOMP) != 0) {
        errno = EPERM;
        return -1;
    }
    struct timex clock = {.modes = 0};
    int state = adjtimex(&clock);
    return state < 0 ? -1 : state != TIME_ERROR && !(clock.status & STA_UNSYNC);
}

// The exact query of NETLINK_SOCK_DIAG: the socket of this network namespace whose own end is the client's and whose
// other end is ours.
struct diagnosis_query {
    struct nlmsghdr header;
    struct inet_diag_req_v2 body;
};

static int fill_end(const void *end, __be16 *port, __be32 address[4]) {
    sa_family_t family = ((const struct sockaddr *)end)->sa_family;
    if (family == AF_INET) {
        const struct sockaddr_in *four = end;
        *port = four->sin_port;
        address[0] = four->sin_addr.s_addr;
        return 0;
    }
    if (family == AF_INET6) {
        const struct sockaddr_in6 *six = end;
        *port = six->sin6_port;
        memcpy(address, &six->sin6_addr, 16);
        return 0;
    }
    errno = EAFNOSUPPORT;
    return -1;
}

static int diagnose(int netlink, const struct diagnosis_query *query, struct inet_diag_msg *found) {
    if (send(netlink, query, sizeof *query, 0) < 0) return -1;
    union {
        struct nlmsghdr header;
        char room[4096];
    } answer;
    ssize_t count = recv(netlink, &answer, sizeof answer, 0);
    if (count < 0) return -1;
    if (!NLMSG_OK(&answer.header, (size_t)count)) {
        errno = EPROTO;
        return -1;
    }
    if (answer.header.nlmsg_type == NLMSG_ERROR) {
        const struct nlmsgerr *error = NLMSG_DATA(&answer.header);
        errno = error->error < 0 ? -error->error : EPROTO;
        return -1;
    }
    if (answer.header.nlmsg_type != SOCK_DIAG_BY_FAMILY || answer.header.nlmsg_len < NLMSG_LENGTH(sizeof *found)) {
        errno = EPROTO;
        return -1;
    }
    memcpy(found, NLMSG_DATA(&answer.header), sizeof *found);
    return 0;
}

// As the kernel writes an end in its answer: of a socket of IPv6, which an IPv4 client may have, the address is mapped.
static void map_address(__u8 family, const __be32 address[4], __be32 mapped[4]) {
    if (family == AF_INET6) {
        memcpy(mapped, address, 16);
        return;
    }
    mapped[0] = mapped[1] = 0;
    mapped[2] = htonl(0xffff);
    mapped[3] = address[0];
}

static int is_same_end(
    __u8 family, __be16 port, const __be32 address[4], __u8 other_family, __be16 other_port, const __be32 other[4]) {
    __be32 first[4], second[4];
    map_address(family, address, first);
    map_address(other_family, other, second);
    return port == other_port && memcmp(first, second, sizeof first) == 0;
}

// Whether the kernel has found the connection that was asked for. Where there is none for it, such as one that is bound to a
// device, it names a socket that listens at the client's port, which may be another user's; and one that is still
// connecting has never spoken with the server.
static int is_connection(const struct diagnosis_query *query, const struct inet_diag_msg *found) {
    switch (found->idiag_state) {
    case TCP_ESTABLISHED: case TCP_FIN_WAIT1: case TCP_FIN_WAIT2: case TCP_CLOSE_WAIT: case TCP_LAST_ACK: case TCP_CLOSING:
        break;
    default:
        return 0;
    }
    const struct inet_diag_sockid *asked = &query->body.id, *named = &found->id;
    __u8 family = query->body.sdiag_family;
    return is_same_end(
               family, asked->idiag_sport, asked->idiag_src, found->idiag_family, named->idiag_sport, named->idiag_src)
        && is_same_end(
               family, asked->idiag_dport, asked->idiag_dst, found->idiag_family, named->idiag_dport, named->idiag_dst);
}

int clinux_tcp_owner(const void *client, const void *server, uint32_t *uid) {
    struct diagnosis_query query = {
        .header = {.nlmsg_len = sizeof query, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST},
        .body = {
            .sdiag_family = (__u8)((const struct sockaddr *)client)->sa_family,
            .sdiag_protocol = IPPROTO_TCP,
            .idiag_states = ~0u,
            .id = {.idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE}},
        },
    };
    if (fill_end(client, &query.body.id.idiag_sport, query.body.id.idiag_src) < 0) return -1;
    if (fill_end(server, &query.body.id.idiag_dport, query.body.id.idiag_dst) < 0) return -1;
    int netlink = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (netlink < 0) return -1;
    struct inet_diag_msg found;
    int result = diagnose(netlink, &query, &found);
    int error = errno;
    close(netlink);
    errno = error;
    if (result < 0) return -1;
    // A socket that its process has closed has no inode, and the kernel reports root as its owner.
    if (found.idiag_inode == 0 || !is_connection(&query, &found)) {
        errno = ENOENT;
        return -1;
    }
    *uid = found.idiag_uid;
    return 0;
}
