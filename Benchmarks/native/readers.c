// N clients in one process that read everything and count it.
//
//     readers [-m MOMENTS-FILE [-s]] ADDRESS CLIENTS [REQUEST-FILE [FIRST-USER USERS]]
//
// Opens CLIENTS connections, sends the request over each, and prints "ready". ADDRESS is the path of a socket, or the
// number of the loopback port of a gpsd, whose messages end with a line feed. With users, which takes root, the
// connections are made as FIRST-USER and the USERS - 1 after it, in rotation. Each line of input is a command, answered by
// a line of JSON. The program ends when its input does.
//
// "report" is answered by the statistics so far, "reset" too, which clears the samples of latency afterwards:
//
//   clients     number of clients
//   received    messages with a location
//   repeated    messages with the location of the message before, which count nowhere else
//   bytes       of the received messages, with their terminators
//   gaps        how often a client's sequence number was not the one before plus one
//   dropped     the sum of all `"dropped":`
//   others      messages without a location
//   closed      connections that the server has closed
//   latency     seconds until a location was read: p50, p99 and max, from `monotonicTime` (CLOCK_BOOTTIME at which the
//               server had the location), or with a file from the moment in the slot of the location's time (-s: of its
//               sequence number), see moments.h
//
// "counts" is answered by the same without latency: to sort the samples keeps a core busy for a millisecond and more,
// which would disturb messages on their way.
//
// "samples" is answered by the slot and the latency of each location since the last reset.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "client_stats.h"

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void read_messages(struct client *client) {
    ssize_t count = recv(client->descriptor, client->buffer + client->filled, buffer_size - client->filled, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) {
        client->is_closed = 1;
        close(client->descriptor);
        return;
    }
    client->filled += (size_t)count;
    char *start = client->buffer, *end = client->buffer + client->filled, *stop;
    while ((stop = memchr(start, dialect.terminator, (size_t)(end - start)))) {
        *stop = 0;
        record_message(client, start, (size_t)(stop + 1 - start));
        start = stop + 1;
    }
    client->filled = (size_t)(end - start);
    memmove(client->buffer, start, client->filled);
    if (client->filled == buffer_size) {
        fprintf(stderr, "readers: a message is longer than %d bytes\n", buffer_size);
        exit(1);
    }
}

static int ascending(const void *a, const void *b) {
    float x = ((const struct sample *)a)->latency, y = ((const struct sample *)b)->latency;
    return (x > y) - (x < y);
}

static void print_latency(void) {
    size_t kept = sample_count < sample_limit ? sample_count : sample_limit;
    qsort(samples, kept, sizeof *samples, ascending);
    double p50 = 0, p99 = 0, max = 0;
    if (kept) p50 = samples[kept / 2].latency, p99 = samples[kept * 99 / 100].latency;
    if (kept) max = samples[kept - 1].latency;
    printf(",\"latency\":{\"p50\":%.6f,\"p99\":%.6f,\"max\":%.6f}", p50, p99, max);
}

static void print_statistics(const struct client *clients, int count, int with_latency) {
    long received = 0, bytes = 0, repeated = 0, gaps = 0, dropped = 0, others = 0, closed = 0;
    for (int i = 0; i < count; i++) {
        const struct client *client = &clients[i];
        repeated += client->repeated;
        received += client->received, bytes += client->bytes, gaps += client->gaps;
        dropped += client->dropped, others += client->others, closed += client->is_closed;
    }
    printf(
        "{\"clients\":%d,\"received\":%ld,\"repeated\":%ld,\"bytes\":%ld,\"gaps\":%ld,\"dropped\":%ld,\"others\":%ld,"
        "\"closed\":%ld",
        count, received, repeated, bytes, gaps, dropped, others, closed);
    if (with_latency) print_latency();
    puts("}");
}

static void print_samples(void) {
    size_t kept = sample_count < sample_limit ? sample_count : sample_limit;
    printf("[");
    for (size_t i = 0; i < kept; i++) printf("%s[%d,%.7f]", i ? "," : "", samples[i].slot, samples[i].latency);
    puts("]");
}

/// Connections made from here on have the credentials of the user; the process keeps its real user.
static void set_effective_user(long user) {
    uid_t id = (uid_t)user;
    if (seteuid(0) || setegid(id) || seteuid(id)) fail("only root can act as another user");
}

static int connect_to(const char *address) {
    struct sockaddr_un path = {.sun_family = AF_UNIX};
    strncpy(path.sun_path, address, sizeof path.sun_path - 1);
    struct sockaddr_in port = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(address))};
    port.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int is_path = strchr(address, '/') != NULL;
    int descriptor = socket(is_path ? AF_UNIX : AF_INET, SOCK_STREAM, 0);
    const struct sockaddr *target = is_path ? (struct sockaddr *)&path : (struct sockaddr *)&port;
    if (descriptor < 0 || connect(descriptor, target, is_path ? sizeof path : sizeof port)) fail(address);
    return descriptor;
}

/// Answers one command. An unknown one is answered like "report".
static void answer(const char *command, const struct client *clients, int count) {
    if (!strncmp(command, "samples", 7)) {
        print_samples();
    } else {
        print_statistics(clients, count, strncmp(command, "counts", 6) != 0);
        if (!strncmp(command, "reset", 5)) sample_count = 0;
    }
    fflush(stdout);
}

int main(int argc, char **argv) {
    for (int option; (option = getopt(argc, argv, "+m:s")) != -1;) {
        if (option == '?') return 2;
        if (option == 's') is_by_sequence = 1;
        else if ((moments = map_moments(optarg)) == MAP_FAILED) fail(optarg);
    }
    argv += optind - 1, argc -= optind - 1;
    if (argc < 3) {
        fprintf(stderr, "usage: readers [-m MOMENTS-FILE [-s]] ADDRESS CLIENTS [REQUEST-FILE [FIRST-USER USERS]]\n");
        return 2;
    }
    if (!strchr(argv[1], '/')) dialect.terminator = '\n', dialect.location = "\"lat\":", dialect.time = "\"time\":\"";
    int count = atoi(argv[2]), poll = epoll_create1(0);
    char request[4096];
    size_t size = 0;
    if (argc > 3) {
        FILE *file = fopen(argv[3], "rb");
        if (!file) fail(argv[3]);
        size = fread(request, 1, sizeof request, file);
        fclose(file);
    }
    long user = argc > 5 ? atol(argv[4]) : 0, users = argc > 5 ? atol(argv[5]) : 0;
    struct client *clients = calloc((size_t)count, sizeof *clients);
    for (int i = 0; i < count; i++) {
        clients[i].slot = -1;
        if (users > 0) set_effective_user(user + i % users);
        int descriptor = clients[i].descriptor = connect_to(argv[1]);
        if (size && send(descriptor, request, size, MSG_NOSIGNAL) != (ssize_t)size) fail("send");
        epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &(struct epoll_event){.events = EPOLLIN, .data.ptr = &clients[i]});
    }
    epoll_ctl(poll, EPOLL_CTL_ADD, STDIN_FILENO, &(struct epoll_event){.events = EPOLLIN, .data.ptr = NULL});
    puts("ready");
    fflush(stdout);
    for (;;) {
        struct epoll_event events[256];
        int ready = epoll_wait(poll, events, 256, -1);
        for (int i = 0; i < ready; i++) {
            if (events[i].data.ptr) {
                read_messages(events[i].data.ptr);
                continue;
            }
            char command[64];
            if (read(STDIN_FILENO, command, sizeof command) <= 0) return 0;
            answer(command, clients, count);
        }
    }
}
