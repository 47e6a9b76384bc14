// A handle with a watch on a scripted daemon. Delays are a hundredth of the real ones.
#ifndef WATCH_FIXTURE_H
#define WATCH_FIXTURE_H

#include "scripted_daemon.h"

static struct daemon service;
static struct locationd *handle;
static struct locationd_update update;

static inline void open_handle(void) {
    CHECK(locationd_open(&handle, service.path) == 0);
    handle->session.timing.first_delay = handle->session.timing.full_delay = 2 * SESSION_MILLISECOND;
    handle->session.timing.longest_delay = 8 * SESSION_MILLISECOND;
}

static inline void setup(bool is_listening) {
    daemon_init(&service);
    if (is_listening) {
        daemon_listen(&service, 16);
    }
    open_handle();
}

static inline void teardown(void) {
    locationd_close(handle);
    daemon_free(&service);
}

/// Starts a watch whose call is taken, and whose first reply is a status.
static inline void start_watch(void) {
    setup(true);
    CHECK(locationd_watch(handle, NULL) == 0);
    json_decref(connect_and_accept(handle, &service));
    daemon_send(&service, MORE(STATUS));
    NEXT(handle, &update, STATUS);
}

/// The outage and what it says; then the next connection's call is taken.
static inline void expect_outage(const char *words) {
    NEXT(handle, &update, STATUS);
    CHECK(!update.status->connected && update.status->source == LOCATIOND_SOURCE_UNAVAILABLE);
    CHECK((update.status->present & LOCATIOND_STATUS_HAS_REASON) != 0 && strstr(update.status->reason, words) != NULL);
}

#endif
