// N clients in one process that read everything and keep the books.
//
//     readers SOCKET CLIENTS [REQUEST-FILE [FIRST-USER USERS]]
//
// Opens CLIENTS connections, sends each the request, and says "ready". With users, which takes root, the connections
// are made as FIRST-USER, the one after, and so on by turns. A line on its input is answered by a line of JSON with
// what has come so far; "fresh" begins the books of latency anew after it. It ends with its input.
//
//   received    messages with a location, of all clients; least and most: of one client
//   bytes       of these messages, NUL included
//   gaps        how often a client's sequence number was not the one before plus one
//   dropped     the sum of all `"dropped":`
//   others      messages without a location
//   closed      connections that the server has ended
//   latency     seconds from `monotonicTime` (CLOCK_BOOTTIME at which the server had the location) to the reading
//
// The line "told" is answered by what each client was last told about itself:
//
//   denied      CLOCK_MONOTONIC, seconds, at which each client that is denied read so
//   fed         clients that are authorized and have read a location since they were told
//   leaked      locations that any client has read while it was denied, since the beginning
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { capacity = 32768, samples_kept = 1 << 20 };

struct client {
    int descriptor, is_closed, is_authorized, is_fed;
    double denied;
    long received, gaps, dropped, others, bytes;
    long long sequence;
    size_t filled;
    char buffer[capacity];
};

static float samples[samples_kept];
static size_t sampled;
static long leaked;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

/// The number after `key` in the message.
static double number(const char *message, const char *key, double missing) {
    const char *place = strstr(message, key);
    return place ? strtod(place + strlen(key), NULL) : missing;
}

/// Notes what the client is told about itself, if the message has that.
static void heed(struct client *client, const char *message) {
    if (!strstr(message, "\"status\":{")) return;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int is_denied = strstr(message, "\"authorization\":\"denied\"") != NULL;
    if (!is_denied) client->denied = 0;
    else if (!client->denied) client->denied = (double)now.tv_sec + (double)now.tv_nsec / 1e9;
    client->is_authorized = strstr(message, "\"authorization\":\"authorized") != NULL;
    client->is_fed = 0;
}

static void book(struct client *client, const char *message, size_t size) {
    heed(client, message);
    client->dropped += (long)number(message, "\"dropped\":", 0);
    if (!strstr(message, "\"location\":{")) {
        client->others++;
        return;
    }
    if (client->denied) leaked++;
    client->is_fed = 1;
    long long sequence = (long long)number(message, "\"sequence\":", -1);
    if (client->received && sequence != client->sequence + 1) client->gaps++;
    client->sequence = sequence;
    client->received++;
    client->bytes += (long)size;
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    double latency = (double)now.tv_sec + (double)now.tv_nsec / 1e9 - number(message, "\"monotonicTime\":", 0);
    samples[sampled++ % samples_kept] = (float)latency;
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
    char *start = client->buffer, *end = client->buffer + client->filled, *zero;
    while ((zero = memchr(start, 0, (size_t)(end - start)))) {
        book(client, start, (size_t)(zero + 1 - start));
        start = zero + 1;
    }
    client->filled = (size_t)(end - start);
    memmove(client->buffer, start, client->filled);
    if (client->filled == capacity) {
        fprintf(stderr, "readers: a message is longer than %d bytes\n", capacity);
        exit(1);
    }
}

static int ascending(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void report(const struct client *clients, int count) {
    long received = 0, least = count ? clients[0].received : 0, most = 0, bytes = 0;
    long gaps = 0, dropped = 0, others = 0, closed = 0;
    for (int i = 0; i < count; i++) {
        const struct client *client = &clients[i];
        received += client->received, bytes += client->bytes, gaps += client->gaps;
        dropped += client->dropped, others += client->others, closed += client->is_closed;
        if (client->received < least) least = client->received;
        if (client->received > most) most = client->received;
    }
    size_t known = sampled < samples_kept ? sampled : samples_kept;
    qsort(samples, known, sizeof *samples, ascending);
    double median = 0, late = 0, last = 0;
    if (known) median = samples[known / 2], late = samples[known * 99 / 100], last = samples[known - 1];
    printf(
        "{\"received\":%ld,\"least\":%ld,\"most\":%ld,\"bytes\":%ld,\"gaps\":%ld,\"dropped\":%ld,\"others\":%ld,"
        "\"closed\":%ld,\"latency\":{\"p50\":%.6f,\"p99\":%.6f,\"most\":%.6f}}\n",
        received, least, most, bytes, gaps, dropped, others, closed, median, late, last);
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

static int connected(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    if (descriptor < 0 || connect(descriptor, (struct sockaddr *)&address, sizeof address)) fail(path);
    return descriptor;
}

int main(int argc, char **argv) {
    if (argc < 3) return fprintf(stderr, "usage: readers SOCKET CLIENTS [REQUEST-FILE [FIRST-USER USERS]]\n"), 2;
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
            report(clients, count);
            if (!strncmp(line, "fresh", 5)) sampled = 0;
        }
    }
}
