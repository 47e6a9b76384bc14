// A daemon that the test plays itself, in its own thread: it listens, takes a call and sends what the test says.
#ifndef SCRIPTED_DAEMON_H
#define SCRIPTED_DAEMON_H

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <locale.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "handle.h"

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s: not so: %s\n", __FILE__, __LINE__, __func__, #condition); \
            exit(1); \
        } \
    } while (0)

/// Longer than anything takes on a busy machine; nothing waits for it to pass.
enum { patience_ms = 20000 };

#define STATUS "\"status\":{\"accuracy\":\"full\",\"authorization\":\"authorizedAlways\",\"authorizationPending\":false," \
    "\"enabled\":true,\"source\":\"tracking\"}"
#define LOCATION_BODY(latitude, sequence, monotonic) "{\"latitude\":" latitude ",\"longitude\":13.4,\"mode\":\"threeDimensional\"," \
    "\"age\":0.5,\"monotonicTime\":" monotonic ",\"sequence\":" sequence \
    ",\"source\":{\"name\":\"gps\",\"isSimulated\":false,\"isReplayed\":false}}"
#define LOCATION(sequence, monotonic) "\"location\":" LOCATION_BODY("52.5", sequence, monotonic)
#define MORE(parameters) "{\"parameters\":{" parameters "},\"continues\":true}"
#define LAST(parameters) "{\"parameters\":{" parameters "}}"
#define ERROR(name, parameters) "{\"error\":\"" name "\",\"parameters\":{" parameters "}}"
#define STOPPING "\"status\":{\"accuracy\":\"full\",\"authorization\":\"authorizedAlways\",\"authorizationPending\":false," \
    "\"enabled\":true,\"source\":\"stopped\",\"reason\":\"stopping\"}"

/// Nothing depends on the locale. The decimal point of ps_AF has two bytes; tests/test_locale.py makes it.
static inline void use_test_locale(void) {
    const char *name = getenv("TEST_LOCALE");
    CHECK(name == NULL || (setlocale(LC_ALL, name) != NULL && *localeconv()->decimal_point != '.'));
}

struct daemon {
    char directory[64], path[80];
    int listener, connection;
};

static inline void daemon_listen(struct daemon *daemon, int backlog) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path, daemon->path, strlen(daemon->path));
    unlink(daemon->path);
    daemon->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(bind(daemon->listener, (struct sockaddr *)&address, sizeof address) == 0);
    CHECK(listen(daemon->listener, backlog) == 0);
}

static inline void daemon_init(struct daemon *daemon) {
    *daemon = (struct daemon) {.listener = -1, .connection = -1};
    strcpy(daemon->directory, "/tmp/liblocationd.XXXXXX");
    CHECK(mkdtemp(daemon->directory) != NULL);
    snprintf(daemon->path, sizeof daemon->path, "%s/socket", daemon->directory);
}

static inline void daemon_drop(struct daemon *daemon) {
    if (daemon->connection >= 0) {
        close(daemon->connection);
        daemon->connection = -1;
    }
}

static inline void daemon_end(struct daemon *daemon) {
    daemon_drop(daemon);
    if (daemon->listener >= 0) {
        close(daemon->listener);
        daemon->listener = -1;
    }
    unlink(daemon->path);
}

static inline void daemon_free(struct daemon *daemon) {
    daemon_end(daemon);
    rmdir(daemon->directory);
}

/// Takes the next call of the connection.
static inline json_t *daemon_read_call(struct daemon *daemon) {
    static char call[1 << 20];
    size_t length = 0;
    do {
        CHECK(length < sizeof call);
        CHECK(read(daemon->connection, call + length, 1) == 1);
    } while (call[length++] != '\0');
    // By itself jansson reads numbers in the program's locale.
    locale_t previous = uselocale(newlocale(LC_ALL_MASK, "C", NULL));
    json_t *tree = json_loads(call, 0, NULL);
    uselocale(previous);
    CHECK(tree != NULL);
    return tree;
}

/// Takes a connection and its first call.
static inline json_t *daemon_accept(struct daemon *daemon) {
    daemon_drop(daemon);
    daemon->connection = accept(daemon->listener, NULL, NULL);
    CHECK(daemon->connection >= 0);
    return daemon_read_call(daemon);
}

static inline void daemon_send_bytes(struct daemon *daemon, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t count = send(daemon->connection, bytes, length, MSG_NOSIGNAL);
        CHECK(count > 0);
        bytes += count;
        length -= (size_t)count;
    }
}

static inline void daemon_send(struct daemon *daemon, const char *message) {
    daemon_send_bytes(daemon, message, strlen(message) + 1);
}

/// A tree as text, for free(3), likewise.
static inline char *dump(const json_t *tree) {
    locale_t previous = uselocale(newlocale(LC_ALL_MASK, "C", NULL));
    char *text = json_dumps(tree, JSON_COMPACT | JSON_SORT_KEYS);
    uselocale(previous);
    CHECK(text != NULL);
    return text;
}

static inline json_t *parameter(const json_t *call, const char *name) {
    return json_object_get(json_object_get(call, "parameters"), name);
}

/// Whether the handle's descriptor is readable now.
static inline bool is_readable(struct locationd *handle) {
    struct pollfd entry = {.fd = locationd_fd(handle), .events = (short)locationd_events(handle)};
    return poll(&entry, 1, 0) == 1;
}

/// As a program's poll loop does it: polls, processes once, until there is an update or an error.
static inline int next_by_poll(struct locationd *handle, struct locationd_update *update) {
    for (;;) {
        struct pollfd entry = {.fd = locationd_fd(handle), .events = (short)locationd_events(handle)};
        CHECK(poll(&entry, 1, patience_ms) == 1);
        int result = locationd_process(handle, update, sizeof *update);
        if (result != 0) {
            return result;
        }
    }
}

/// Processes until the handle has connected, and takes its call.
static inline json_t *connect_and_accept(struct locationd *handle, struct daemon *daemon) {
    struct locationd_update update;
    struct pollfd entry = {.fd = daemon->listener, .events = POLLIN};
    while (poll(&entry, 1, 0) == 0) {
        struct pollfd own = {.fd = locationd_fd(handle), .events = POLLIN};
        CHECK(poll(&own, 1, patience_ms) == 1);
        CHECK(locationd_process(handle, &update, sizeof update) == 0);
    }
    return daemon_accept(daemon);
}

#define NEXT(handle, update, expected) CHECK(next_by_poll(handle, update) == 1 && (update)->kind == LOCATIOND_UPDATE_##expected)

#endif
