// The least a fan-out can cost: the same message to each of N Unix stream sockets, one send(2) per client.
//
//     floor SOCKET CLIENTS MESSAGE-FILE MOMENTS-FILE
//
// Accepts CLIENTS connections and prints "ready". Each line "RATE COUNT" of its input makes it send COUNT messages to
// every client, RATE a second (0: back to back), by its own timer; then it prints "done". It ends when its input does.
// A client whose socket buffer has no room for a message does not get that message.
//
// The moment at which the timer expired, before the first client is served, is noted under the sequence number
// (moments.h).
//
// The message is sent as it is in the file, but for the digits after `"sequence":`, which are incremented, so that
// readers can look for gaps as they do with the service.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "moments.h"

static const char key[] = "\"sequence\":";

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static size_t read_file(const char *path, char *message, size_t capacity) {
    FILE *file = fopen(path, "rb");
    if (!file) fail(path);
    size_t size = fread(message, 1, capacity, file);
    fclose(file);
    return size;
}

/// Adds one to the decimal number between `first`, exclusive, and `last`; it wraps around within its digits.
static void increment(char *first, char *last) {
    while (last > first && *last == '9') *last-- = '0';
    if (last > first) ++*last;
}

static int listen_at(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        fprintf(stderr, "floor: the socket's path is too long\n");
        exit(1);
    }
    strcpy(address.sun_path, path);
    int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    if (descriptor < 0 || bind(descriptor, (struct sockaddr *)&address, sizeof address) || listen(descriptor, 1024))
        fail("listen");
    return descriptor;
}

int main(int argc, char **argv) {
    if (argc != 5) return fprintf(stderr, "usage: floor SOCKET CLIENTS MESSAGE-FILE MOMENTS-FILE\n"), 2;
    int64_t *moments = map_moments(argv[4]);
    if (moments == MAP_FAILED) fail(argv[4]);
    int clients = atoi(argv[2]);
    static char message[65536 + 1];
    size_t size = read_file(argv[3], message, sizeof message - 1);
    char *digits = strstr(message, key);
    if (!digits || clients < 1) return fprintf(stderr, "floor: no clients, or no sequence in the message\n"), 2;
    digits += sizeof key - 1;
    char *last = digits + strspn(digits, "0123456789") - 1;

    int *descriptors = calloc((size_t)clients, sizeof *descriptors);
    int listener = listen_at(argv[1]);
    for (int i = 0; i < clients; i++)
        if ((descriptors[i] = accept(listener, NULL, NULL)) < 0) fail("accept");
    puts("ready");
    fflush(stdout);

    char line[64];
    while (fgets(line, sizeof line, stdin)) {
        double rate = 0;
        long count = 0;
        if (sscanf(line, "%lf %ld", &rate, &count) != 2) return 2;
        struct timespec due;
        clock_gettime(CLOCK_MONOTONIC, &due);
        for (long n = 0; n < count; n++) {
            clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
            increment(digits - 1, last);
            moments[strtol(digits, NULL, 10) % moment_slots] = monotonic_nanoseconds();
            for (int i = 0; i < clients; i++) {
                ssize_t sent = send(descriptors[i], message, size, MSG_DONTWAIT | MSG_NOSIGNAL);
                if (sent != (ssize_t)size && !(sent < 0 && errno == EAGAIN)) fail("send");
            }
            if (rate > 0) due.tv_nsec += (long)(1e9 / rate);
            while (due.tv_nsec >= 1000000000) due.tv_nsec -= 1000000000, due.tv_sec++;
        }
        puts("done");
        fflush(stdout);
    }
    return 0;
}
