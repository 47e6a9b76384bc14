#include "handle.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "request.h"
#include "stream.h"
#include "text.h"

#define EXPORT __attribute__((visibility("default")))

/// Messages that one call of locationd_process() reads at most without an update, so that a daemon cannot keep it.
enum { process_limit = 32 };

int64_t monotonic_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int fail(struct locationd *handle, int error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    text_format_list(handle->message, sizeof handle->message, format, arguments);
    va_end(arguments);
    return error;
}

void copy_result(void *to, size_t size, const void *from, size_t from_size) {
    size_t known = size < from_size ? size : from_size;
    memcpy(to, from, known);
    memset((char *)to + known, 0, size - known);
}

void handle_arm(struct locationd *handle, int64_t deadline) {
    // A time of 0 would disarm it.
    int64_t time = deadline == SESSION_NEVER ? 0 : deadline <= 0 ? 1 : deadline;
    if (time == handle->armed) {
        return;
    }
    struct itimerspec timer = {.it_value = {.tv_sec = (time_t)(time / 1000000000), .tv_nsec = (long)(time % 1000000000)}};
    timerfd_settime(handle->timer, TFD_TIMER_ABSTIME, &timer, NULL);
    handle->armed = time;
}

EXPORT int locationd_open(struct locationd **result, const char *path) {
    *result = NULL;
    if (path == NULL) {
        const char *named = secure_getenv("LOCATIOND_SOCKET");
        path = named != NULL && *named != '\0' ? named : "/run/locationd/locationd.sock";
    }
    struct locationd *handle = calloc(1, sizeof *handle);
    if (handle == NULL) {
        return LOCATIOND_ERROR_NO_MEMORY;
    }
    if (*path == '\0' || strlen(path) >= sizeof handle->path) {
        free(handle);
        return LOCATIOND_ERROR_INVALID_ARGUMENT;
    }
    text_copy(handle->path, sizeof handle->path, path);
    handle->owner = getpid();
    handle->session.timing = session_standard_timing;
    session_reset(&handle->session);
    connection_init(&handle->connection);
    handle->poller = epoll_create1(EPOLL_CLOEXEC);
    handle->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN};
    if (handle->poller < 0 || handle->timer < 0 || epoll_ctl(handle->poller, EPOLL_CTL_ADD, handle->timer, &event) != 0) {
        locationd_close(handle);
        return LOCATIOND_ERROR_NO_MEMORY;
    }
    *result = handle;
    return 0;
}

EXPORT void locationd_close(struct locationd *handle) {
    if (handle == NULL) {
        return;
    }
    stream_stop(handle);
    connection_free(&handle->connection);
    // The timer is only closed, because a child's is the same as its parent's.
    if (handle->timer >= 0) {
        close(handle->timer);
    }
    if (handle->poller >= 0) {
        close(handle->poller);
    }
    buffer_free(&handle->scratch);
    status_storage_free(&handle->status);
    status_storage_free(&handle->call_status);
    list_free(&handle->satellites);
    free(handle);
}

/// Starts a stream with the parameters that were made of the options, if they were accepted.
static int start(struct locationd *handle, const char *method, json_t *parameters, const struct refusal *refusal,
                 int64_t maximum_updates, bool has_duration) {
    if (parameters == NULL) {
        return fail(handle, refusal->error, "%s", refusal->sentence);
    }
    stream_start(handle, method, parameters, maximum_updates, has_duration);
    handle_arm(handle, stream_deadline(handle));
    return 0;
}

static int fail_busy(struct locationd *handle) {
    return fail(handle, LOCATIOND_ERROR_BUSY,
                "the handle has a watch or monitor already; end it by locationd_stop(), or open another");
}

EXPORT int locationd_watch(struct locationd *handle, const struct locationd_watch_options *given) {
    struct locationd_watch_options options;
    struct refusal refusal = {0};
    if (handle->session.state != SESSION_IDLE) {
        return fail_busy(handle);
    }
    json_t *parameters = take_options(&options, sizeof options, given, &refusal) ? watch_parameters(&options, &refusal) : NULL;
    return start(handle, "org.locationd.location.Watch", parameters, &refusal, options.maximum_updates,
                 (options.present & LOCATIOND_WATCH_HAS_DURATION) != 0);
}

EXPORT int locationd_monitor(struct locationd *handle, const struct locationd_monitor_options *given) {
    struct locationd_monitor_options options;
    struct refusal refusal = {0};
    if (handle->session.state != SESSION_IDLE) {
        return fail_busy(handle);
    }
    json_t *parameters = take_options(&options, sizeof options, given, &refusal) ? monitor_parameters(&options, &refusal) : NULL;
    return start(handle, "org.locationd.location.Monitor", parameters, &refusal, 0, false);
}

EXPORT int locationd_stop(struct locationd *handle) {
    stream_stop(handle);
    handle_arm(handle, SESSION_NEVER);
    return 0;
}

/// Steps until there is something for the program, or nothing to do; at most `limit` times, or until the deadline if that is 0.
static int step_until(struct locationd *handle, struct locationd_update *update, int limit, int64_t deadline) {
    int result, count = 0;
    do {
        result = stream_step(handle, update);
    } while (result == STREAM_AGAIN && (limit == 0 ? monotonic_now() < deadline : ++count < limit));
    // After the last update there is still the end to be given out; after that there is nothing more, however often it is.
    bool is_ending = result == STREAM_UPDATE && handle->session.state == SESSION_ENDED;
    handle_arm(handle, is_ending ? 0 : stream_deadline(handle));
    return result;
}

static int fail_without_result(struct locationd *handle) {
    return fail(handle, LOCATIOND_ERROR_INVALID_ARGUMENT, "the update is NULL, or its size is not that of its struct");
}

EXPORT int locationd_process(struct locationd *handle, struct locationd_update *update, size_t size) {
    struct locationd_update next = {0};
    if (update == NULL || size < sizeof update->kind) {
        return fail_without_result(handle);
    }
    int result = step_until(handle, &next, process_limit, 0);
    copy_result(update, size, &next, sizeof next);
    return result == STREAM_AGAIN ? STREAM_NOTHING : result;
}

EXPORT int locationd_next(struct locationd *handle, struct locationd_update *update, size_t size, int timeout_ms) {
    if (timeout_ms == 0) {
        return locationd_process(handle, update, size);
    }
    struct locationd_update next = {0};
    if (update == NULL || size < sizeof update->kind) {
        return fail_without_result(handle);
    }
    int64_t deadline = timeout_ms < 0 ? SESSION_NEVER : monotonic_now() + timeout_ms * SESSION_MILLISECOND;
    int result;
    while ((result = step_until(handle, &next, 0, deadline)) == STREAM_NOTHING || result == STREAM_AGAIN) {
        int wait = -1;
        if (deadline != SESSION_NEVER) {
            int64_t left = deadline - monotonic_now();
            if (left <= 0) {
                result = STREAM_NOTHING;
                break;
            }
            wait = (int)((left + SESSION_MILLISECOND - 1) / SESSION_MILLISECOND);
        }
        struct pollfd entry = {.fd = handle->poller, .events = POLLIN};
        if (result == STREAM_NOTHING && poll(&entry, 1, wait) < 0) {
            int error = errno == EINTR ? LOCATIOND_ERROR_INTERRUPTED : LOCATIOND_ERROR_NO_MEMORY;
            result = fail(handle, error, "%s", locationd_strerror(error));
            break;
        }
    }
    copy_result(update, size, &next, sizeof next);
    return result;
}

EXPORT int locationd_fd(struct locationd *handle) {
    return handle->poller;
}

EXPORT int locationd_events(struct locationd *handle) {
    (void)handle;
    return POLLIN;
}

EXPORT const char *locationd_error_message(struct locationd *handle) {
    return handle == NULL ? "" : handle->message;
}

EXPORT uint64_t locationd_dropped(struct locationd *handle) {
    return handle->dropped;
}

EXPORT double locationd_age(const struct locationd_location *location) {
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    double age = (double)now.tv_sec + (double)now.tv_nsec / 1e9 - location->monotonic_time;
    return age > 0 ? age : 0;
}
