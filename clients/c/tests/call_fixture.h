// A handle whose single calls are answered by a scripted daemon in a thread of its own.
#ifndef CALL_FIXTURE_H
#define CALL_FIXTURE_H

#include <pthread.h>

#include "scripted_daemon.h"

static struct daemon service;
static struct locationd *handle;

/// What the daemon does with the next connection: takes the call, sends the replies, and waits for the client's end, or ends itself.
static struct {
    const char *replies[4];
    bool closes;
    json_t *call;
} script;
static pthread_t thread;

static inline void *serve(void *unused) {
    (void)unused;
    script.call = daemon_accept(&service);
    for (size_t index = 0; index < 4 && script.replies[index] != NULL; index++) {
        daemon_send(&service, script.replies[index]);
    }
    char byte;
    while (!script.closes && read(service.connection, &byte, 1) > 0) {
    }
    daemon_drop(&service);
    return NULL;
}

static inline void play(bool closes, const char *first, const char *second) {
    json_decref(script.call);
    script.call = NULL;
    script.closes = closes;
    script.replies[0] = first;
    script.replies[1] = second;
    CHECK(pthread_create(&thread, NULL, serve, NULL) == 0);
}

/// What the client has sent, as text.
static inline void expect_call(const char *expected) {
    CHECK(pthread_join(thread, NULL) == 0);
    char *text = dump(script.call);
    if (strcmp(text, expected) != 0) {
        fprintf(stderr, "sent %s\nnot  %s\n", text, expected);
        exit(1);
    }
    free(text);
}

static inline void end_call(void) {
    CHECK(pthread_join(thread, NULL) == 0);
}

static inline void setup(void) {
    daemon_init(&service);
    daemon_listen(&service, 16);
    CHECK(locationd_open(&handle, service.path) == 0);
}

static inline void teardown(void) {
    json_decref(script.call);
    script.call = NULL;
    locationd_close(handle);
    daemon_free(&service);
}

#endif
