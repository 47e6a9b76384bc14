#include "stream.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "errors.h"
#include "text.h"
#include "updates.h"

static void disconnect(struct locationd *handle) {
    // Closing is not enough: a child process may have a copy of the descriptor, which would be polled on, and keep the connection
    // open and with it the receiver. The child, on the other hand, takes nothing from the parent.
    if (handle->connection.descriptor >= 0 && handle->owner == getpid()) {
        epoll_ctl(handle->poller, EPOLL_CTL_DEL, handle->connection.descriptor, NULL);
        connection_shut_down(&handle->connection);
    }
    connection_close(&handle->connection);
    handle->is_polled_for_sending = false;
}

void stream_start(struct locationd *handle, const char *method, json_t *parameters, int64_t maximum_updates, bool has_duration) {
    handle->method = method;
    handle->parameters = parameters;
    handle->has_duration = has_duration;
    handle->heard = (struct locationd_status) {.enabled = true};
    session_start(&handle->session, monotonic_now(), maximum_updates);
}

void stream_stop(struct locationd *handle) {
    disconnect(handle);
    json_decref(handle->parameters);
    handle->parameters = NULL;
    handle->pending = 0;
    session_reset(&handle->session);
}

static void end(struct locationd *handle, int error, const char *sentence) {
    disconnect(handle);
    session_end(&handle->session);
    handle->end_error = error;
    text_copy(handle->end_message, sizeof handle->end_message, sentence);
}

/// The connection is lost: one status per outage, made of what was heard.
static void lose(struct locationd *handle, const char *sentence) {
    disconnect(handle);
    if (!session_lost(&handle->session, monotonic_now())) {
        return;
    }
    struct locationd_status *outage = &handle->outage.value;
    *outage = handle->heard;
    outage->connected = false;
    outage->source = LOCATIOND_SOURCE_UNAVAILABLE;
    outage->present |= LOCATIOND_STATUS_HAS_REASON;
    text_copy(outage->reason, sizeof outage->reason, sentence);
    handle->pending |= 1U << PENDING_OUTAGE;
}

static void lose_by_error(struct locationd *handle, int error) {
    char sentence[sentence_size];
    describe_receive_error(error, sentence, sizeof sentence);
    lose(handle, sentence);
}

static void remember_status(struct locationd *handle) {
    const struct locationd_status *status = &handle->status.status.value;
    handle->heard = (struct locationd_status) {
        .present = status->present & LOCATIOND_STATUS_HAS_FULL_ACCURACY_PENDING,
        .enabled = status->enabled,
        .authorization = status->authorization,
        .accuracy = status->accuracy,
        .authorization_pending = status->authorization_pending,
        .full_accuracy_pending = status->full_accuracy_pending,
    };
}

/// Sends the call, or appends it to what waits for room.
static bool send_call(struct locationd *handle) {
    json_t *parameters = json_copy(handle->parameters);
    int failed = 0;
    if (handle->session.remaining > 0) {
        failed |= json_object_set_new(parameters, "maximumUpdates", json_integer(handle->session.remaining));
    }
    if (!handle->omits_library) {
        failed |= json_object_set_new(parameters, "library", json_string(LIBRARY_NAME));
    }
    if (handle->session.has_answered && json_object_get(parameters, "name") != NULL) {
        // The daemon has persisted the monitor, and what was changed since.
        json_object_del(parameters, "regions");
        json_object_del(parameters, "significantChange");
        json_object_del(parameters, "visits");
    }
    json_t *call = json_pack("{s:s, s:O, s:b}", "method", handle->method, "parameters", parameters, "more", 1);
    bool is_enqueued = failed == 0 && call != NULL && connection_enqueue(&handle->connection, call);
    json_decref(call);
    json_decref(parameters);
    return is_enqueued;
}

/// Sends what there is, and has the descriptor polled for room while there is more.
static void send_pending(struct locationd *handle) {
    connection_send(&handle->connection);
    bool is_sending = connection_is_sending(&handle->connection);
    if (is_sending != handle->is_polled_for_sending) {
        struct epoll_event event = {.events = EPOLLIN | (is_sending ? EPOLLOUT : 0)};
        epoll_ctl(handle->poller, EPOLL_CTL_MOD, handle->connection.descriptor, &event);
        handle->is_polled_for_sending = is_sending;
    }
}

static void attempt(struct locationd *handle) {
    int error = connection_open(&handle->connection, handle->path);
    if (error == EAGAIN && session_retry(&handle->session, monotonic_now())) {
        return;
    }
    if (error != 0) {
        char sentence[sentence_size];
        describe_connect_error(error, handle->path, sentence, sizeof sentence);
        lose(handle, sentence);
        return;
    }
    session_connected(&handle->session, monotonic_now());
    struct epoll_event event = {.events = EPOLLIN};
    if (epoll_ctl(handle->poller, EPOLL_CTL_ADD, handle->connection.descriptor, &event) != 0 || !send_call(handle)) {
        lose_by_error(handle, ENOMEM);
        return;
    }
    send_pending(handle);
}

/// An error is the last reply. Some are of the moment, as an outage is; the others are the stream's end.
static void handle_error(struct locationd *handle, const json_t *reply, int error, const char *sentence) {
    const char *parameter = message_text(json_object_get(json_object_get(reply, "parameters"), "parameter"));
    if (error == LOCATIOND_ERROR_INVALID_PARAMETER && !handle->omits_library && parameter != NULL
        && strcmp(parameter, "library") == 0) {
        handle->omits_library = true;
        if (!send_call(handle)) {
            lose_by_error(handle, ENOMEM);
            return;
        }
        send_pending(handle);
    } else if (error == LOCATIOND_ERROR_TOO_MANY_CLIENTS || error == LOCATIOND_ERROR_TOO_MANY_REQUESTS) {
        lose(handle, sentence);
    } else {
        end(handle, error, sentence);
    }
}

/// After the last reply: the program's own limit, the daemon's stop, or something unexpected.
static void handle_last_reply(struct locationd *handle, unsigned updates) {
    bool has_status = (updates & 1U << PENDING_STATUS) != 0;
    const char *reason = has_status ? handle->status.status.value.reason : "";
    if (handle->has_duration && strcmp(reason, "duration") == 0) {
        end(handle, LOCATIOND_ERROR_ENDED, locationd_strerror(LOCATIOND_ERROR_ENDED));
    } else if (strcmp(reason, "stopping") == 0) {
        disconnect(handle);
        session_suspended(&handle->session, monotonic_now());
    } else if (handle->session.remaining > 0 && (updates & 1U << PENDING_LOCATION) != 0) {
        // The daemon has counted a location that had been given out before.
        disconnect(handle);
        session_suspended(&handle->session, monotonic_now());
    } else {
        lose(handle, "locationd has ended the call; it may be restarting: `systemctl status locationd` tells");
    }
}

static void lose_unreadable(struct locationd *handle, const char *problem) {
    char sentence[sentence_size];
    text_format(sentence, sizeof sentence, "locationd sent an unreadable reply: %s; are the versions the same?", problem);
    lose(handle, sentence);
}

static void handle_reply(struct locationd *handle, const json_t *reply) {
    char sentence[sentence_size];
    int error = error_of_reply(reply, sentence, sizeof sentence);
    if (error != 0) {
        handle_error(handle, reply, error, sentence);
        return;
    }
    struct reading reading = {0};
    uint64_t dropped = handle->dropped;
    bool continues = false;
    unsigned updates = 0;
    const struct field continues_field = {.name = "continues", .kind = FIELD_BOOLEAN};
    read_fields(&reading, reply, &continues_field, 1, &continues, NULL);
    const json_t *parameters = read_object(&reading, reply, "parameters");
    if (parameters != NULL) {
        updates = read_updates(handle, &reading, parameters);
        read_dropped(&reading, parameters, &dropped);
    }
    if (reading.has_failed) {
        lose_unreadable(handle, reading.problem);
        return;
    }
    session_replied(&handle->session);
    handle->dropped = dropped;
    if ((updates & 1U << PENDING_STATUS) != 0) {
        remember_status(handle);
    }
    handle->pending = updates;
    if ((updates & 1U << PENDING_LOCATION) != 0 && !session_accepts(&handle->session, &handle->location.value)) {
        handle->pending &= ~(1U << PENDING_LOCATION);
    }
    if (handle->session.state == SESSION_ENDED) {
        end(handle, LOCATIOND_ERROR_ENDED, locationd_strerror(LOCATIOND_ERROR_ENDED));
    } else if (!continues) {
        handle_last_reply(handle, updates);
    }
}

static void handle_message(struct locationd *handle, const char *message, size_t length) {
    const char *problem;
    json_t *reply = message_decode(message, length, &handle->scratch, &problem);
    if (reply == NULL) {
        lose_unreadable(handle, problem);
        return;
    }
    handle_reply(handle, reply);
    json_decref(reply);
}

/// What is there to read, or else whether the daemon has been silent for too long.
static int receive(struct locationd *handle) {
    int error = connection_receive(&handle->connection);
    if (error == EAGAIN) {
        if (!session_is_due(&handle->session, monotonic_now())) {
            return STREAM_NOTHING;
        }
        error = ETIMEDOUT;
    }
    if (error != 0) {
        lose_by_error(handle, error);
    }
    return STREAM_AGAIN;
}

int stream_step(struct locationd *handle, struct locationd_update *update) {
    const char *message;
    size_t length;
    if (handle->pending != 0) {
        give_update(handle, update);
        return STREAM_UPDATE;
    }
    switch (handle->session.state) {
    case SESSION_IDLE:
        return fail(handle, LOCATIOND_ERROR_NOT_WATCHING, "%s", locationd_strerror(LOCATIOND_ERROR_NOT_WATCHING));
    case SESSION_ENDED:
        return fail(handle, handle->end_error, "%s", handle->end_message);
    case SESSION_WAITING:
        if (!session_is_due(&handle->session, monotonic_now())) {
            return STREAM_NOTHING;
        }
        attempt(handle);
        return STREAM_AGAIN;
    case SESSION_CALLING:
    case SESSION_STREAMING:
        break;
    }
    if (connection_is_sending(&handle->connection)) {
        send_pending(handle);
    }
    if (connection_next_message(&handle->connection, &message, &length)) {
        handle_message(handle, message, length);
        return STREAM_AGAIN;
    }
    return receive(handle);
}

int64_t stream_deadline(struct locationd *handle) {
    bool has_more = handle->pending != 0
        || (handle->connection.descriptor >= 0 && connection_has_message(&handle->connection));
    return has_more ? 0 : handle->session.deadline;
}
