#include "call.h"

#include <errno.h>
#include <poll.h>

#include "errors.h"

int64_t deadline_after(double seconds) {
    return monotonic_now() + (int64_t)(seconds * 1e9);
}

int64_t silence_deadline(const struct locationd *handle) {
    return monotonic_now() + handle->session.timing.silence;
}

/// Waits for events of a descriptor, or only for the time if it is negative: 0, ETIMEDOUT or EINTR.
static int await(int descriptor, short events, int64_t deadline, bool is_interruptible) {
    for (;;) {
        int timeout = -1;
        if (deadline != SESSION_NEVER) {
            int64_t left = deadline - monotonic_now();
            if (left <= 0) {
                return ETIMEDOUT;
            }
            // Rounded up, so that the time has passed after the wait; at most an hour at once.
            int64_t milliseconds = (left + SESSION_MILLISECOND - 1) / SESSION_MILLISECOND;
            timeout = milliseconds > 3600000 ? 3600000 : (int)milliseconds;
        }
        struct pollfd entry = {.fd = descriptor, .events = events};
        int count = poll(&entry, 1, timeout);
        if (count > 0) {
            return 0;
        }
        if (count < 0 && (errno != EINTR || is_interruptible)) {
            return errno;
        }
    }
}

/// Fails because of an error number of the connection.
static int fail_by_error(struct locationd *handle, int error) {
    char sentence[sentence_size];
    if (error == EINTR) {
        return fail(handle, LOCATIOND_ERROR_INTERRUPTED, "%s", locationd_strerror(LOCATIOND_ERROR_INTERRUPTED));
    }
    describe_receive_error(error, sentence, sizeof sentence);
    return fail(handle, error == ENOMEM ? LOCATIOND_ERROR_NO_MEMORY : LOCATIOND_ERROR_UNREACHABLE, "%s", sentence);
}

int call_start(struct locationd *handle, struct call *call, const char *method, json_t *parameters, bool more, int64_t deadline) {
    connection_init(&call->connection);
    json_t *message = json_pack("{s:s, s:o}", "method", method, "parameters", parameters);
    if (message == NULL || (more && json_object_set_new(message, "more", json_true()) != 0)
        || !connection_enqueue(&call->connection, message)) {
        json_decref(message);
        return fail_by_error(handle, ENOMEM);
    }
    json_decref(message);
    int error;
    while ((error = connection_open(&call->connection, handle->path)) == EAGAIN) {
        int64_t retry = monotonic_now() + handle->session.timing.full_delay;
        if (retry >= deadline) {
            break;
        }
        if (await(-1, 0, retry, call->is_interruptible) == EINTR) {
            return fail_by_error(handle, EINTR);
        }
    }
    if (error != 0) {
        char sentence[sentence_size];
        describe_connect_error(error, handle->path, sentence, sizeof sentence);
        return fail(handle, error == EMFILE || error == ENFILE || error == ENOMEM ? LOCATIOND_ERROR_NO_MEMORY
                    : LOCATIOND_ERROR_UNREACHABLE, "%s", sentence);
    }
    return 0;
}

/// Waits for the next reply: 0, or an error number.
static int call_receive(struct call *call, int64_t deadline, const char **message, size_t *length) {
    for (;;) {
        connection_send(&call->connection);
        if (connection_next_message(&call->connection, message, length)) {
            return 0;
        }
        int error = connection_receive(&call->connection);
        if (error == EAGAIN) {
            short events = (short)(POLLIN | (connection_is_sending(&call->connection) ? POLLOUT : 0));
            error = await(call->connection.descriptor, events, deadline, call->is_interruptible);
        } else if (error == 0 && monotonic_now() >= deadline && !connection_has_message(&call->connection)) {
            // A daemon that sends without end, and never a whole message.
            error = ETIMEDOUT;
        }
        if (error != 0) {
            return error;
        }
    }
}

int fail_unreadable(struct locationd *handle, const char *problem) {
    return fail(handle, LOCATIOND_ERROR_UNREACHABLE, "locationd sent an unreadable reply: %s; are the versions the same?", problem);
}

json_t *call_next(struct locationd *handle, struct call *call, int64_t deadline, int *error) {
    const char *message, *problem;
    size_t length;
    int number = call_receive(call, deadline, &message, &length);
    if (number != 0) {
        call->has_timed_out = number == ETIMEDOUT;
        *error = fail_by_error(handle, number);
        return NULL;
    }
    json_t *reply = message_decode(message, length, &handle->scratch, &problem);
    if (reply == NULL) {
        *error = fail_unreadable(handle, problem);
        return NULL;
    }
    char sentence[sentence_size];
    *error = error_of_reply(reply, sentence, sizeof sentence);
    if (*error != 0) {
        fail(handle, *error, "%s", sentence);
    }
    return reply;
}

void call_free(struct call *call) {
    // Another thread may have forked meanwhile.
    connection_shut_down(&call->connection);
    connection_free(&call->connection);
}

int call_perform(struct locationd *handle, const char *method, json_t *parameters, double seconds, bool is_interruptible,
                 call_reader *read) {
    struct call call = {.is_interruptible = is_interruptible};
    int64_t deadline = deadline_after(seconds);
    int error = call_start(handle, &call, method, parameters, false, silence_deadline(handle));
    if (error == 0) {
        json_t *reply = call_next(handle, &call, deadline, &error);
        if (reply != NULL && read != NULL) {
            struct reading reading = {0};
            const json_t *given = read_object(&reading, reply, "parameters");
            read(handle, &reading, given, error);
            // What is broken in the details of an error does not hide the error.
            if (reading.has_failed && error == 0) {
                error = fail_unreadable(handle, reading.problem);
            }
        }
        json_decref(reply);
    }
    call_free(&call);
    return error;
}
