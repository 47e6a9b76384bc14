// What the C parts of Sources/ do wherever they run: the same checks for amd64, arm64 and armhf, with a signed and with an unsigned
// char. `make test-arm` builds and runs it. Prints what it checked, and exits with 1 at the first thing that is wrong.
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "CCurl.h"
#include "CGPSVersion.h"
#include "CLinux.h"
#include "CSeccomp.h"
#include "CSystemd.h"
#include "CSystemdBus.h"
#include "gps-shim.h"
#include "mosquitto-shim.h"

#define CHECK(condition)                                                                                      \
    do {                                                                                                      \
        if (!(condition)) {                                                                                   \
            fprintf(stderr, "%s:%d: %s (errno %d: %s)\n", __FILE__, __LINE__, #condition, errno, strerror(errno)); \
            exit(1);                                                                                          \
        }                                                                                                     \
    } while (0)

// What Swift's code takes for granted of the kernel's and the library's layouts.
_Static_assert(sizeof(struct clinux_peer) == 12, "three words of 32 bits");
_Static_assert(sizeof(struct inotify_event) == 16, "FileWatch.swift steps over the head of an event");
_Static_assert(sizeof(struct sockaddr_un) == 110 && offsetof(struct sockaddr_un, sun_path) == 2, "a path is 108 bytes");
_Static_assert(sizeof(int) == 4 && sizeof(long long) == 8, "CInt and CLongLong");
_Static_assert(sizeof(double) == 8, "CDouble");

static void check_sockets(void) {
    int ends[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    struct clinux_peer peer = {-1, 1, 1};
    CHECK(clinux_peer_credentials(ends[0], &peer) == 0);
    CHECK(peer.pid == getpid() && peer.uid == getuid() && peer.gid == getgid());
    CHECK(clinux_peer_credentials(-1, &peer) == -1 && errno == EBADF);

    uint32_t groups[1024];
    int count = clinux_peer_groups(ends[0], groups, 1024);
    // An emulator may not know the option.
    CHECK(count >= 0 || errno == ENOPROTOOPT);
    if (count > 0) CHECK(clinux_peer_groups(ends[0], groups, 0) == count);

    // Bytes above 127, which a signed and an unsigned char hold differently.
    const unsigned char bytes[] = {0, 127, 128, 200, 255};
    CHECK(clinux_unread(ends[0]) == 0);
    CHECK(clinux_send(ends[0], bytes, sizeof bytes) == (ptrdiff_t)sizeof bytes);
    CHECK(clinux_unread(ends[0]) >= (int)sizeof bytes || clinux_unread(ends[0]) == 0);
    unsigned char received[16];
    CHECK(read(ends[1], received, sizeof received) == (ssize_t)sizeof bytes);
    CHECK(memcmp(bytes, received, sizeof bytes) == 0);

    // It neither blocks on a full buffer nor raises SIGPIPE.
    static char much[65536];
    int sent = 0;
    while (clinux_send(ends[0], much, sizeof much) > 0) sent++;
    CHECK(errno == EAGAIN && sent < 10000);
    close(ends[1]);
    CHECK(clinux_send(ends[0], bytes, 1) == -1 && errno == EPIPE);
    close(ends[0]);
    puts("sockets");
}

static void check_listener(const char *folder) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s/listener", folder);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    CHECK(bind(listener, (struct sockaddr *)&address, sizeof address) == 0 && listen(listener, 1) == 0);
    CHECK(clinux_accept(listener) == -1 && errno == EAGAIN);
    int client = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(connect(client, (struct sockaddr *)&address, sizeof address) == 0);
    int accepted = clinux_accept(listener);
    CHECK(accepted >= 0);
    CHECK((fcntl(accepted, F_GETFD) & FD_CLOEXEC) && (fcntl(accepted, F_GETFL) & O_NONBLOCK));
    int process = clinux_peer_process(accepted);
    CHECK(process >= 0 || errno == ENOSYS || errno == EINVAL);
    if (process >= 0) close(process);
    close(accepted), close(client), close(listener), unlink(address.sun_path);
    puts("listener");
}

static void check_process(void) {
    int process = clinux_open_process(getpid());
    CHECK(process >= 0 || errno == ENOSYS);
    if (process < 0) return;
    uint64_t group = 0;
    // Before Linux 6.13, or in an emulator, the kernel does not tell.
    CHECK(clinux_process_control_group(process, &group) == 0 ? group != 0 : errno == ENOSYS);
    close(process);
    puts("process");
}

static void check_epoll(void) {
    int epoll = clinux_epoll(), event = clinux_eventfd(), other = clinux_eventfd();
    CHECK(epoll >= 0 && event >= 0 && other >= 0);
    // A tag of 64 bits: its place in the kernel's structure differs between architectures.
    const uint64_t tag = 0xFEDCBA9876543210, one = 1;
    CHECK(clinux_epoll_add(epoll, event, tag, 0) == 0);
    CHECK(clinux_epoll_add(epoll, other, 1, 1) == 0);
    CHECK(write(event, &one, sizeof one) == sizeof one);
    uint64_t tags[64] = {0};
    CHECK(clinux_epoll_wait(epoll, tags, 64) == 1 && tags[0] == tag);
    CHECK(write(other, &one, sizeof one) == sizeof one);
    CHECK(clinux_epoll_wait(epoll, tags, 64) == 2);
    CHECK(clinux_epoll_wait(epoll, tags, 64) == 1 && tags[0] == tag);
    close(event), close(other), close(epoll);
    puts("epoll");
}

static void check_datagrams(const char *folder) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s/datagrams", folder);
    int receiver = socket(AF_UNIX, SOCK_DGRAM, 0), sender = socket(AF_UNIX, SOCK_DGRAM, 0);
    CHECK(bind(receiver, (struct sockaddr *)&address, sizeof address) == 0);
    CHECK(clinux_send_datagram(sender, address.sun_path, "READY=1", 7) == 0);
    char text[64];
    CHECK(recv(receiver, text, sizeof text, 0) == 7 && memcmp(text, "READY=1", 7) == 0);
    char path[200];
    memset(path, 'x', sizeof path - 1), path[sizeof path - 1] = 0;
    CHECK(clinux_send_datagram(sender, path, "", 0) == -1 && errno == ENAMETOOLONG);

    CHECK(clinux_send_sealed(sender, address.sun_path, "\377long", 5) == 0);
    // The alignment and the sizes of a control message depend on the width of a word.
    union { struct cmsghdr header; char room[CMSG_SPACE(sizeof(int))]; } control;
    struct iovec part = {text, sizeof text};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t count = recvmsg(receiver, &message, MSG_DONTWAIT);
#ifdef EMULATED
    // QEMU before 8.0 takes a message without bytes and does not send it.
    if (count < 0 && errno == EAGAIN) {
        close(receiver), close(sender), unlink(address.sun_path);
        puts("datagrams (but none that passes a descriptor)");
        return;
    }
#endif
    CHECK(count == 0);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    CHECK(header != NULL && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS);
    int memory;
    memcpy(&memory, CMSG_DATA(header), sizeof memory);
    CHECK(pread(memory, text, sizeof text, 0) == 5 && memcmp(text, "\377long", 5) == 0);
    CHECK(fcntl(memory, F_GET_SEALS) == (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL));
    close(memory), close(receiver), close(sender), unlink(address.sun_path);
    puts("datagrams");
}

static void check_clock(void) {
    struct timespec now;
    CHECK(clock_gettime(CLOCK_BOOTTIME, &now) == 0);
    int64_t begin = now.tv_sec * INT64_C(1000000000) + now.tv_nsec, reading = clinux_boot_nanoseconds();
    CHECK(reading >= begin && clinux_boot_nanoseconds() >= reading);
    int synchronized = clinux_clock_is_synchronized();
    CHECK(synchronized == 0 || synchronized == 1 || (synchronized == -1 && (errno == EPERM || errno == ENOSYS)));
    puts("clock");
}

static void check_memory(void) {
    const unsigned char text[] = "a\200\377b\377";
    CHECK(clinux_find(text, 5, "\377b", 2) == text + 2);
    CHECK(clinux_find(text, 5, "\177", 1) == NULL);
    // Also from an odd address.
    CHECK(clinux_find(text + 1, 4, "\377", 1) == text + 2);
    // The program goes on, with the pages that it needs again.
    CHECK(clinux_unmap_program() == 0);
    CHECK(clinux_find(text, 5, "b", 1) == text + 3);
    clinux_name_thread("fifteen letters");
    clinux_give_memory_back();
    CHECK(clinux_environment() != NULL);
    puts("memory");
}

static void check_owner(void) {
    struct sockaddr_in server = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}, client = server;
    socklen_t size = sizeof server;
    int listener = socket(AF_INET, SOCK_STREAM, 0), end = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(bind(listener, (struct sockaddr *)&server, size) == 0 && listen(listener, 1) == 0);
    CHECK(getsockname(listener, (struct sockaddr *)&server, &size) == 0);
    CHECK(connect(end, (struct sockaddr *)&server, size) == 0);
    CHECK(getsockname(end, (struct sockaddr *)&client, &size) == 0);
    uint32_t uid = ~UINT32_C(0);
    int result = clinux_tcp_owner(&client, &server, &uid);
    // An emulator does not translate this family of netlink.
    CHECK(result == 0 ? uid == getuid() : errno == EPROTONOSUPPORT || errno == EOPNOTSUPP || errno == EPROTO);
    struct sockaddr_un other = {.sun_family = AF_UNIX};
    CHECK(clinux_tcp_owner(&other, &server, &uid) == -1 && errno == EAFNOSUPPORT);
    close(end), close(listener);
    printf("owner of a connection%s\n", result == 0 ? "" : " (not known here)");
}

static void check_libraries(void) {
    struct csystemd functions;
    struct csystemd_bus bus;
    CHECK(csystemd_load("", &functions) == -1 && csystemd_load("libnothing.so.1", &functions) == -1);
    CHECK(csystemd_load_bus("libc.so.6", &bus) == -1);
    CHECK(ccurl_load("") == -1 && ccurl_load("libnothing.so.1") == -1 && ccurl_load("libc.so.6") == -1);
    puts("libraries");
}

// A filter is for good, so it is a child's. An emulator may have none.
static void check_filter(void) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        if (cseccomp_limit_to_generic_netlink() != 0) {
#ifdef EMULATED
            CHECK(errno == EINVAL || errno == ENOSYS);
            _exit(0);
#endif
            CHECK(0);
        }
        CHECK(socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC) >= 0);
        CHECK(socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE) == -1 && errno == EPERM);
        _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

int main(void) {
    alarm(60);
    setvbuf(stdout, NULL, _IOLBF, 0);
    char folder[] = "/tmp/portable-XXXXXX";
    CHECK(mkdtemp(folder) != NULL);
    printf("%zu bits, char is %s, pages of %ld bytes\n", 8 * sizeof(void *), (char)-1 < 0 ? "signed" : "unsigned",
           sysconf(_SC_PAGESIZE));
    check_sockets();
    check_listener(folder);
    check_process();
    check_epoll();
    check_datagrams(folder);
    check_clock();
    check_memory();
    check_owner();
    check_libraries();
    check_filter();
    rmdir(folder);
    return 0;
}
