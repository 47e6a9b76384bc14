// N clients in one process that read everything and keep the books.
//
//     readers [-m MOMENTS-FILE [-s]] SOCKET CLIENTS [REQUEST-FILE [FIRST-USER USERS]]
//
// Opens CLIENTS connections, sends each the request, and says "ready". SOCKET is a path, or the number of a loopback
// port on which gpsd speaks by the line. With users, which takes root, the connections are made as FIRST-USER, the one
// after, and so on by turns. A line on its input is answered by a line of JSON with what has come so far; "fresh"
// begins the books of latency anew after it. It ends with its input.
//
//   clients     how many there are
//   received    messages with a location, of all clients; least and most: of one client
//   again       messages with a location of the same moment as the one before, which are counted nowhere else
//   bytes       of these messages, NUL included
//   gaps        how often a client's sequence number was not the one before plus one
//   dropped     the sum of all `"dropped":`
//   others      messages without a location
//   closed      connections that the server has ended
//   last        the smallest sequence number that any client read last
//   latency     seconds to the reading, from `monotonicTime` (CLOCK_BOOTTIME at which the server had the location), or
//               with a file from the moment that moments.h has for the location's time (-s: its sequence number)
//
// The line "counts" is answered by all but the latency, for who asks while messages are on their way: sorting them keeps a
// core busy for a millisecond and more.
//
// The line "each" is answered by `received` and `dropped` of each client in one sum, the line "samples" by the slot of
// the moment and the latency of each message since the books of latency began.
//
// The line "told" is answered by what each client was last told about itself:
//
//   denied      CLOCK_MONOTONIC, seconds, at which each client that is denied read so
//   fed         clients that are authorized and have read a location since they were told
//   leaked      locations that any client has read while it was denied, since the beginning
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

static void take(struct client *client) {
    ssize_t count = recv(client->descriptor, client->buffer + client->filled, capacity - client->filled, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) {
        client->is_closed = 1;
        close(client->descriptor);
        return;
    }
    client->filled += (size_t)count;
    char *start = client->buffer, *end = client->buffer + client->filled, *stop;
    while ((stop = memchr(start, dialect.end, (size_t)(end - start)))) {
        *stop = 0;
        book(client, start, (size_t)(stop + 1 - start));
        start = stop + 1;
    }
    client->filled = (size_t)(end - start);
    memmove(client->buffer, start, client->filled);
    if (client->filled == capacity) {
        fprintf(stderr, "readers: a message is longer than %d bytes\n", capacity);
        exit(1);
    }
}

static int ascending(const void *a, const void *b) {
    float x = ((const struct sample *)a)->latency, y = ((const struct sample *)b)->latency;
    return (x > y) - (x < y);
}

static void tell_latency(void) {
    size_t known = sampled < samples_kept ? sampled : samples_kept;
    qsort(samples, known, sizeof *samples, ascending);
    double half = 0, late = 0, latest = 0;
    if (known) half = samples[known / 2].latency, late = samples[known * 99 / 100].latency;
    if (known) latest = samples[known - 1].latency;
    printf(",\"latency\":{\"p50\":%.6f,\"p99\":%.6f,\"most\":%.6f}", half, late, latest);
}

static void report(const struct client *clients, int count, int with_latency) {
    long received = 0, least = count ? clients[0].received : 0, most = 0, bytes = 0;
    long again = 0, gaps = 0, dropped = 0, others = 0, closed = 0;
    long long last = count ? clients[0].sequence : 0;
    for (int i = 0; i < count; i++) {
        const struct client *client = &clients[i];
        again += client->again;
        received += client->received, bytes += client->bytes, gaps += client->gaps;
        dropped += client->dropped, others += client->others, closed += client->is_closed;
        if (client->received < least) least = client->received;
        if (client->received > most) most = client->received;
        if (client->sequence < last) last = client->sequence;
    }
    printf(
        "{\"clients\":%d,\"received\":%ld,\"least\":%ld,\"most\":%ld,\"again\":%ld,\"bytes\":%ld,\"gaps\":%ld,"
        "\"dropped\":%ld,\"others\":%ld,\"closed\":%ld,\"last\":%lld",
        count, received, least, most, again, bytes, gaps, dropped, others, closed, last);
    if (with_latency) tell_latency();
    puts("}");
    fflush(stdout);
}

static void list_each(const struct client *clients, int count) {
    for (int i = 0; i < count; i++) printf("%s%ld", i ? "," : "[", clients[i].received + clients[i].dropped);
    puts("]");
    fflush(stdout);
}

static void list_samples(void) {
    size_t known = sampled < samples_kept ? sampled : samples_kept;
    printf("[");
    for (size_t i = 0; i < known; i++) printf("%s[%d,%.7f]", i ? "," : "", samples[i].slot, samples[i].latency);
    puts("]");
    fflush(stdout);
}

static void tell(const struct client *clients, int count) {
    long fed = 0;
    const char *comma = "";
    printf("{\"denied\":[");
    for (int i = 0; i < count; i++) {
        fed += clients[i].is_authorized && clients[i].is_fed;
        if (!clients[i].denied) continue;
        printf("%s%.6f", comma, clients[i].denied);
        comma = ",";
    }
    printf("],\"fed\":%ld,\"leaked\":%ld}\n", fed, leaked);
    fflush(stdout);
}

/// The kernel notes who connects; the process itself stays what it is.
static void become(long user) {
    uid_t id = (uid_t)user;
    if (seteuid(0) || setegid(id) || seteuid(id)) fail("users other than one's own take root");
}

static int connected(const char *place) {
    struct sockaddr_un path = {.sun_family = AF_UNIX};
    strncpy(path.sun_path, place, sizeof path.sun_path - 1);
    struct sockaddr_in port = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(place))};
    port.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int is_path = strchr(place, '/') != NULL;
    int descriptor = socket(is_path ? AF_UNIX : AF_INET, SOCK_STREAM, 0);
    const struct sockaddr *address = is_path ? (struct sockaddr *)&path : (struct sockaddr *)&port;
    if (descriptor < 0 || connect(descriptor, address, is_path ? sizeof path : sizeof port)) fail(place);
    return descriptor;
}

int main(int argc, char **argv) {
    for (int option; (option = getopt(argc, argv, "+m:s")) != -1;) {
        if (option == '?') return 2;
        if (option == 's') is_by_sequence = 1;
        else if ((moments = mapped_moments(optarg)) == MAP_FAILED) fail(optarg);
    }
    argv += optind - 1, argc -= optind - 1;
    if (argc < 3) {
        fprintf(stderr, "usage: readers [-m MOMENTS-FILE [-s]] SOCKET CLIENTS [REQUEST-FILE [FIRST-USER USERS]]\n");
        return 2;
    }
    if (!strchr(argv[1], '/')) dialect.end = '\n', dialect.location = "\"lat\":", dialect.time = "\"time\":\"";
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
        if (users > 0) become(user + i % users);
        int descriptor = clients[i].descriptor = connected(argv[1]);
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
                take(events[i].data.ptr);
                continue;
            }
            char line[64];
            ssize_t length = read(STDIN_FILENO, line, sizeof line);
            if (length <= 0) return 0;
            if (!strncmp(line, "told", 4)) {
                tell(clients, count);
                continue;
            }
            if (!strncmp(line, "each", 4)) {
                list_each(clients, count);
                continue;
            }
            if (!strncmp(line, "samples", 7)) {
                list_samples();
                continue;
            }
            report(clients, count, strncmp(line, "counts", 6) != 0);
            if (!strncmp(line, "fresh", 5)) sampled = 0;
        }
    }
}
