/*
 * The handle. Who touches what: the program's thread alone, in the calls that it makes; nothing runs between them. The parts of
 * the stream belong to stream.c, those of single calls to calls.c, the descriptors to both through handle.c.
 */
#ifndef LOCATIOND_HANDLE_H
#define LOCATIOND_HANDLE_H

#include <sys/types.h>

#include "connection.h"
#include "locationd.h"
#include "session.h"
#include "values.h"

/// What the interface calls `library`.
#define LIBRARY_NAME "liblocationd " LIBRARY_VERSION

enum { sentence_size = 1024 };

struct locationd {
    char path[108];              ///< Of the socket; as long as an address can be.
    char message[sentence_size]; ///< The last error's sentence.
    struct buffer scratch;       ///< Of message_decode().

    pid_t owner;                 ///< The process that has opened it; another one may only close it.
    int poller;                  ///< The epoll descriptor that the program polls.
    int timer;                   ///< In `poller`, at the next deadline; due at once while more can be given out.
    int64_t armed;               ///< What `timer` is set to.

    /// The watch or monitor.
    struct session session;
    struct connection connection; ///< Its descriptor is in `poller` while it is open.
    bool is_polled_for_sending;
    const char *method;           ///< The method's name.
    json_t *parameters;           ///< As the program has set them.
    bool has_duration;
    bool omits_library;           ///< Whether the daemon does not know the parameter `library`.
    int end_error;                ///< Once the session has ended.
    char end_message[sentence_size];
    uint64_t dropped;

    /// The reply that is given out, an update at a time: bits of 1 << enum pending_update.
    unsigned pending;
    struct status_storage status;
    ROOM(struct locationd_status) outage;
    ROOM(struct locationd_location) location;
    ROOM(struct locationd_heading) heading;
    struct list satellites;
    ROOM(struct locationd_region_report) region;
    ROOM(struct locationd_location) region_location;
    ROOM(struct locationd_visit) visit;
    struct locationd_status heard; ///< Of the last status: the authorization and what belongs to it.

    /// The last single call.
    struct status_storage call_status;
    ROOM(struct locationd_location) best;
    bool has_best;
};

/// Nanoseconds of CLOCK_MONOTONIC.
int64_t monotonic_now(void);

/// Sets the sentence and returns the error.
__attribute__((format(printf, 3, 4))) int fail(struct locationd *handle, int error, const char *format, ...);

/// Sets the timer of the descriptor that the program polls. SESSION_NEVER disarms it.
void handle_arm(struct locationd *handle, int64_t deadline);

/// A result for the caller: no more than `size` bytes, and zeros for what this library does not know.
void copy_result(void *to, size_t size, const void *from, size_t from_size);

#endif
