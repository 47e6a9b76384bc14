// The statistics of one reading client, updated message by message.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "moments.h"

enum { buffer_size = 32768, sample_limit = 1 << 20 };

struct client {
    int descriptor, is_closed;
    long received, repeated, gaps, dropped, others, bytes, slot;
    long long sequence;
    size_t filled;
    char buffer[buffer_size];
};

/// The latency of each location; of more than the limit, the newest are kept.
static struct sample {
    float latency;
    int slot;
} samples[sample_limit];
static size_t sample_count;

static const int64_t *moments;
static int is_by_sequence;
/// What differs between messages of the service and of gpsd.
static struct {
    char terminator;
    const char *location, *time;
} dialect = {0, "\"location\":{", "\"timestamp\":\""};

/// The number after `key` in the message.
static double number(const char *message, const char *key, double missing) {
    const char *place = strstr(message, key);
    return place ? strtod(place + strlen(key), NULL) : missing;
}

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int decimal(const char *text, int digits) {
    int value = 0;
    while (digits--) value = 10 * value + *text++ - '0';
    return value;
}

/// The slot of the moment of the message's location; -1 if there is no table of moments.
static long slot_of(const char *message) {
    if (!moments) return -1;
    if (is_by_sequence) return (long)number(message, "\"sequence\":", -1) % moment_slots;
    // 2026-01-01T00:00:00.000Z
    const char *time = strstr(message, dialect.time);
    if (!time || strlen(time += strlen(dialect.time)) < 24) return -1;
    int second = (decimal(time + 11, 2) * 60 + decimal(time + 14, 2)) * 60 + decimal(time + 17, 2);
    return second * 100L + decimal(time + 20, 2);
}

/// Seconds until now from the moment in the slot, or else from when the service had the location.
static double latency_of(const char *message, long slot) {
    if (slot >= 0) return (double)(monotonic_nanoseconds() - moments[slot]) / 1e9;
    return seconds(CLOCK_BOOTTIME) - number(message, "\"monotonicTime\":", 0);
}

static void record_message(struct client *client, const char *message, size_t size) {
    client->dropped += (long)number(message, "\"dropped\":", 0);
    if (!strstr(message, dialect.location)) {
        client->others++;
        return;
    }
    long slot = slot_of(message);
    if (slot >= 0 && slot == client->slot) {
        client->repeated++;
        return;
    }
    client->slot = slot;
    long long sequence = (long long)number(message, "\"sequence\":", -1);
    if (client->received && sequence >= 0 && sequence != client->sequence + 1) client->gaps++;
    client->sequence = sequence;
    client->received++;
    client->bytes += (long)size;
    samples[sample_count++ % sample_limit] = (struct sample){(float)latency_of(message, slot), (int)slot};
}
