// What one reading client has come to: its books, kept message by message.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "moments.h"

enum { capacity = 32768, samples_kept = 1 << 20 };

struct client {
    int descriptor, is_closed, is_authorized, is_fed;
    double denied;
    long received, again, gaps, dropped, others, bytes, slot;
    long long sequence;
    size_t filled;
    char buffer[capacity];
};

static struct sample {
    float latency;
    int slot;
} samples[samples_kept];
static size_t sampled;
static long leaked;

static const int64_t *moments;
static int is_by_sequence;
/// What sets gpsd's messages apart from the service's.
static struct {
    char end;
    const char *location, *time;
} dialect = {0, "\"location\":{", "\"timestamp\":\""};

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

static int digits(const char *text, int count) {
    int value = 0;
    while (count--) value = 10 * value + *text++ - '0';
    return value;
}

/// Where the moment of the message's location stands; -1 if nobody noted it.
static long slot(const char *message) {
    if (!moments) return -1;
    if (is_by_sequence) return (long)number(message, "\"sequence\":", -1) % moments_kept;
    // 2026-01-01T00:00:00.000Z
    const char *time = strstr(message, dialect.time);
    if (!time || strlen(time += strlen(dialect.time)) < 24) return -1;
    int seconds = (digits(time + 11, 2) * 60 + digits(time + 14, 2)) * 60 + digits(time + 17, 2);
    return seconds * 100L + digits(time + 20, 2);
}

/// Seconds from the moment, or from when the service had the location, until now.
static double latency(const char *message, long slot) {
    if (slot >= 0) return (double)(monotonic() - moments[slot]) / 1e9;
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9 - number(message, "\"monotonicTime\":", 0);
}

static void book(struct client *client, const char *message, size_t size) {
    heed(client, message);
    client->dropped += (long)number(message, "\"dropped\":", 0);
    if (!strstr(message, dialect.location)) {
        client->others++;
        return;
    }
    long here = slot(message);
    if (here >= 0 && here == client->slot) {
        client->again++;
        return;
    }
    client->slot = here;
    if (client->denied) leaked++;
    client->is_fed = 1;
    long long sequence = (long long)number(message, "\"sequence\":", -1);
    if (client->received && sequence >= 0 && sequence != client->sequence + 1) client->gaps++;
    client->sequence = sequence;
    client->received++;
    client->bytes += (long)size;
    samples[sampled++ % samples_kept] = (struct sample){(float)latency(message, here), (int)here};
}
