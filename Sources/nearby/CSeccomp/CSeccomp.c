#define _GNU_SOURCE 1
#include "CSeccomp.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__) && defined(__LP64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && defined(__AARCH64EL__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__arm__) && defined(__ARMEL__)
#define ARCHITECTURE AUDIT_ARCH_ARM
#endif

#ifdef ARCHITECTURE
// Also in headers that are older. It is the same number for each architecture.
#define IO_URING_SETUP 425
// Numbers of the x32 interface have this bit; no other architecture has so many system calls.
#define X32 0x40000000
// Options of IP sockets from here on are those of iptables and of routing of groups, and some that this program does not use.
#define FIREWALL 64

// Of an argument the lower half, as the kernel takes it for an int: the architectures above are little-endian.
#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define MASK(bits) BPF_STMT(BPF_ALU | BPF_AND | BPF_K, bits)
#define REFUSE BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
// Goes over so many statements if the value is equal, or if it is not.
#define IF_EQUAL(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no)
#define IF_AT_LEAST(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, value, yes, no)

static const struct sock_filter statements[] = {
    LOAD(arch),
    IF_EQUAL(ARCHITECTURE, 1, 0),
    REFUSE,
    LOAD(nr),
    IF_AT_LEAST(X32, 1, 0),
    IF_EQUAL(IO_URING_SETUP, 0, 1),
    REFUSE,
    IF_EQUAL(SYS_socket, 3, 0),
    IF_EQUAL(SYS_ioctl, 8, 0),
    IF_EQUAL(SYS_setsockopt, 13, 0),
    ALLOW,
    // socket(domain, type, protocol)
    LOAD(args[0]),
    IF_EQUAL(AF_NETLINK, 0, 3),
    LOAD(args[2]),
    IF_EQUAL(NETLINK_GENERIC, 1, 0),
    REFUSE,
    ALLOW,
    // ioctl(descriptor, request): those of sockets (0x89), and of wireless devices before nl80211 (0x8B)
    LOAD(args[1]),
    MASK(0xff00),
    IF_EQUAL(0x8900, 1, 0),
    IF_EQUAL(0x8b00, 0, 1),
    REFUSE,
    ALLOW,
    // setsockopt(descriptor, level, name, value, size)
    LOAD(args[1]),
    IF_EQUAL(IPPROTO_IP, 1, 0),
    IF_EQUAL(IPPROTO_IPV6, 0, 3),
    LOAD(args[2]),
    IF_AT_LEAST(FIREWALL, 0, 1),
    REFUSE,
    ALLOW,
};
#endif

int cseccomp_limit_to_generic_netlink(void) {
#ifdef ARCHITECTURE
    const struct sock_fprog program = {
        .len = sizeof statements / sizeof *statements, .filter = (struct sock_filter *)statements};
    // Without it, only root may filter: a program that gets rights by its file's mode would keep the filter.
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    long outcome = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    // The number of a thread that has another filter.
    if (outcome > 0) errno = ESRCH;
    return outcome == 0 ? 0 : -1;
#else
    errno = ENOSYS;
    return -1;
#endif
}
