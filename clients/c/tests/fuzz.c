// A hostile daemon: bytes through the whole reading path of a watch, a monitor and a single call. What comes out is checked.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "call.h"
#include "stream.h"

#define REQUIRE(condition) ((condition) ? (void)0 : abort())

static bool is_between(double value, double low, double high) {
    return isfinite(value) && value >= low && value <= high;
}

/// A text of an array: it ends within, and is UTF-8.
static void check_text(const char *text, size_t size) {
    REQUIRE(strnlen(text, size) < size);
    json_t *string = json_string(text);
    REQUIRE(string != NULL);
    json_decref(string);
}

static void check_location(const struct locationd_location *location) {
    REQUIRE(is_between(location->latitude, -90, 90) && is_between(location->longitude, -180, 180));
    REQUIRE(is_between(location->horizontal_accuracy, 0, DBL_MAX) && is_between(location->course, 0, 360) && location->course != 360);
    REQUIRE(is_between(location->altitude, -DBL_MAX, DBL_MAX) && is_between(location->monotonic_time, -DBL_MAX, DBL_MAX));
    REQUIRE(is_between(location->hdop, 0, DBL_MAX) && is_between(location->error_ellipse.orientation, 0, 180));
    REQUIRE(location->jamming >= 0 && location->jamming <= 255 && location->satellites_used >= 0);
    REQUIRE(location->mode <= LOCATIOND_MODE_THREE_DIMENSIONAL && location->augmentation <= LOCATIOND_AUGMENTATION_PRECISE);
    REQUIRE(is_between(locationd_age(location), 0, DBL_MAX));
    check_text(location->source.name, sizeof location->source.name);
    check_text(location->source.device, sizeof location->source.device);
}

static void check_status(const struct locationd_status *status) {
    check_text(status->reason, sizeof status->reason);
    check_text(status->source_name, sizeof status->source_name);
    REQUIRE(status->source <= LOCATIOND_SOURCE_UNAVAILABLE && isfinite(status->fix_age) && status->satellites_visible >= 0);
    for (size_t index = 0; index < status->source_count; index++) {
        check_text(status->sources[index]->name, sizeof status->sources[index]->name);
        check_text(status->sources[index]->reason, sizeof status->sources[index]->reason);
        REQUIRE(isfinite(status->sources[index]->fix_age));
    }
    for (size_t index = 0; index < status->compass_count; index++) {
        check_text(status->compasses[index]->name, sizeof status->compasses[index]->name);
    }
}

static void check_update(const struct locationd_update *update) {
    switch (update->kind) {
    case LOCATIOND_UPDATE_STATUS:
        check_status(update->status);
        break;
    case LOCATIOND_UPDATE_LOCATION:
        check_location(update->location);
        break;
    case LOCATIOND_UPDATE_HEADING:
        REQUIRE(is_between(update->heading->true_heading, 0, 360) && is_between(update->heading->pitch, -90, 90));
        break;
    case LOCATIOND_UPDATE_SATELLITES:
        for (size_t index = 0; index < update->satellite_count; index++) {
            check_text(update->satellites[index]->gnss, sizeof update->satellites[index]->gnss);
            REQUIRE(update->satellites[index]->id >= 1 && is_between(update->satellites[index]->elevation, -90, 90));
        }
        break;
    case LOCATIOND_UPDATE_REGION:
        check_text(update->region->identifier, sizeof update->region->identifier);
        if (update->region->location != NULL) {
            check_location(update->region->location);
        }
        break;
    case LOCATIOND_UPDATE_VISIT:
        REQUIRE(is_between(update->visit->latitude, -90, 90));
        break;
    case LOCATIOND_UPDATE_NONE:
        abort();
    }
}

static void process_all(struct locationd *handle) {
    struct locationd_update update;
    int result;
    while ((result = locationd_process(handle, &update, sizeof update)) == 1) {
        check_update(&update);
    }
    if (result < 0) {
        check_text(locationd_error_message(handle), sentence_size);
        REQUIRE(locationd_process(handle, &update, sizeof update) == result);
    }
}

/// Puts the handle's end of a socket in the place of a connection that was made.
static void stream(struct locationd *handle, bool is_monitor, const char *bytes, size_t length, size_t chunk) {
    int ends[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0);
    stream_start(handle, is_monitor ? INTERFACE "Monitor" : INTERFACE "Watch", json_pack("{s:i}", "maximumUpdates", 2),
                 is_monitor ? 0 : 2, !is_monitor);
    handle->connection.descriptor = ends[0];
    struct epoll_event event = {.events = EPOLLIN};
    REQUIRE(epoll_ctl(handle->poller, EPOLL_CTL_ADD, ends[0], &event) == 0);
    session_connected(&handle->session, monotonic_now());
    while (length > 0) {
        ssize_t count = send(ends[1], bytes, length < chunk ? length : chunk, MSG_NOSIGNAL);
        process_all(handle);
        if (count <= 0) {
            break;
        }
        bytes += count;
        length -= (size_t)count;
    }
    close(ends[1]);
    process_all(handle);
    locationd_stop(handle);
}

static void single_call(struct locationd *handle, const char *bytes, size_t length) {
    int ends[2], error;
    struct call call = {0};
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0);
    connection_init(&call.connection);
    call.connection.descriptor = ends[0];
    send(ends[1], bytes, length, MSG_NOSIGNAL);
    close(ends[1]);
    json_t *reply = call_next(handle, &call, monotonic_now() + 1000 * SESSION_MILLISECOND, &error);
    REQUIRE(reply != NULL || error < 0);
    check_text(locationd_error_message(handle), sentence_size);
    json_decref(reply);
    call_free(&call);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct locationd *handle;
    // The first byte says what the bytes after it are for, and in which pieces they come.
    if (size < 2) {
        return 0;
    }
    // Neither connects ever: no attempt is due before the run is over.
    REQUIRE(locationd_open(&handle, "/nowhere") == 0);
    handle->session.timing.first_delay = handle->session.timing.longest_delay = 3600000 * SESSION_MILLISECOND;
    const char *bytes = (const char *)data + 1;
    if (data[0] % 4 == 0) {
        single_call(handle, bytes, size - 1);
    } else {
        stream(handle, data[0] % 4 == 1, bytes, size - 1, data[0] < 128 ? 65536 : (size_t)data[0] - 127);
    }
    locationd_close(handle);
    return 0;
}
