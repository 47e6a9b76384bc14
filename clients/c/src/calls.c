#include <string.h>

#include "call.h"
#include "request.h"

#define EXPORT __attribute__((visibility("default")))

static double silence_seconds(const struct locationd *handle) {
    return (double)handle->session.timing.silence / 1e9;
}

/// A required status.
static void read_call_status(struct locationd *handle, struct reading *reading, const json_t *parameters, int error) {
    if (error == 0 && (parameters == NULL || !read_status(reading, parameters, &handle->call_status))) {
        reading_fail(reading, "status", "is missing");
    }
}

/// A required location, or the best of an error.
static void read_call_location(struct locationd *handle, struct reading *reading, const json_t *parameters, int error) {
    bool may_have_best = error == LOCATIOND_ERROR_TIMED_OUT || error == LOCATIOND_ERROR_LOCATION_UNAVAILABLE;
    const char *name = error == 0 ? "location" : may_have_best ? "best" : NULL;
    bool has_location = parameters != NULL && name != NULL && read_location(reading, parameters, name, &handle->best.value);
    if (error == 0 && !has_location) {
        reading_fail(reading, "location", "is missing");
    }
    handle->has_best = may_have_best && has_location;
}

static int refuse_call(struct locationd *handle, const struct refusal *refusal) {
    return fail(handle, refusal->error, "%s", refusal->sentence);
}

/// Whether a result has room.
static bool is_result(struct locationd *handle, const void *result, size_t size) {
    if (result == NULL || size < sizeof(uint64_t)) {
        fail(handle, LOCATIOND_ERROR_INVALID_ARGUMENT, "the result is NULL, or its size is not that of its struct");
        return false;
    }
    return true;
}

EXPORT int locationd_get(struct locationd *handle, const struct locationd_get_options *given, struct locationd_location *location,
                         size_t size) {
    struct locationd_get_options options;
    struct refusal refusal = {0};
    handle->has_best = false;
    if (!is_result(handle, location, size)) {
        return LOCATIOND_ERROR_INVALID_ARGUMENT;
    }
    json_t *parameters = take_options(&options, sizeof options, given, &refusal) ? get_parameters(&options, &refusal) : NULL;
    if (parameters == NULL) {
        return refuse_call(handle, &refusal);
    }
    // The daemon refuses what is out of its range, at once.
    double timeout = (options.present & LOCATIOND_GET_HAS_TIMEOUT) == 0 ? 30
        : options.timeout > 0 && options.timeout <= 86400 ? options.timeout : 0;
    int error = call_perform(handle, INTERFACE "GetLocation", parameters, timeout + silence_seconds(handle), true, read_call_location);
    if (error == 0) {
        copy_result(location, size, &handle->best.value, sizeof handle->best.value);
    }
    return error;
}

EXPORT const struct locationd_location *locationd_best(struct locationd *handle) {
    return handle->has_best ? &handle->best.value : NULL;
}

EXPORT int locationd_status(struct locationd *handle, struct locationd_status *status, size_t size) {
    struct refusal refusal = {0};
    if (!is_result(handle, status, size)) {
        return LOCATIOND_ERROR_INVALID_ARGUMENT;
    }
    json_t *parameters = no_parameters(&refusal);
    if (parameters == NULL) {
        return refuse_call(handle, &refusal);
    }
    int error = call_perform(handle, INTERFACE "GetStatus", parameters, silence_seconds(handle), false, read_call_status);
    if (error == 0) {
        copy_result(status, size, &handle->call_status.status.value, sizeof handle->call_status.status.value);
    }
    return error;
}

EXPORT int locationd_change_regions(struct locationd *handle, const struct locationd_region_changes *given) {
    struct locationd_region_changes changes;
    struct refusal refusal = {0};
    json_t *parameters = take_options(&changes, sizeof changes, given, &refusal)
        ? region_change_parameters(&changes, &refusal) : NULL;
    return parameters == NULL ? refuse_call(handle, &refusal)
        : call_perform(handle, INTERFACE "ChangeRegions", parameters, silence_seconds(handle), false, NULL);
}

EXPORT int locationd_remove_monitor(struct locationd *handle, const char *name) {
    struct refusal refusal = {0};
    json_t *parameters = name_parameters(name, &refusal);
    return parameters == NULL ? refuse_call(handle, &refusal)
        : call_perform(handle, INTERFACE "RemoveMonitor", parameters, silence_seconds(handle), false, NULL);
}

/// Reads one reply of the request. 1: there will be another; 0: decided; or an error.
static int next_decision(struct locationd *handle, struct call *call, int64_t deadline) {
    int error;
    json_t *reply = call_next(handle, call, deadline, &error);
    if (error == 0) {
        struct reading reading = {0};
        bool continues = false;
        const struct field field = {.name = "continues", .kind = FIELD_BOOLEAN};
        read_fields(&reading, reply, &field, 1, &continues, NULL);
        read_call_status(handle, &reading, read_object(&reading, reply, "parameters"), 0);
        const struct locationd_status *status = &handle->call_status.status.value;
        if (reading.has_failed) {
            error = fail_unreadable(handle, reading.problem);
        } else if (continues) {
            error = 1;
        } else if (strcmp(status->reason, "stopping") == 0) {
            error = fail(handle, LOCATIOND_ERROR_UNREACHABLE,
                         "locationd has stopped before the decision; the request may be made again once it runs");
        }
    }
    json_decref(reply);
    return error;
}

EXPORT int locationd_request_authorization(struct locationd *handle, const struct locationd_authorization_options *given,
                                           struct locationd_status *status, size_t size) {
    struct locationd_authorization_options options;
    struct refusal refusal = {0};
    if (!is_result(handle, status, size)) {
        return LOCATIOND_ERROR_INVALID_ARGUMENT;
    }
    json_t *parameters = take_options(&options, sizeof options, given, &refusal)
        ? authorization_parameters(&options, &refusal) : NULL;
    if (parameters == NULL) {
        return refuse_call(handle, &refusal);
    }
    bool has_timeout = (options.present & LOCATIOND_AUTHORIZATION_HAS_TIMEOUT) != 0;
    bool waits = !has_timeout || options.timeout > 0;
    int64_t last = has_timeout ? deadline_after(options.timeout) : SESSION_NEVER;
    int64_t first = silence_deadline(handle);
    struct call call = {.is_interruptible = true};
    int result = call_start(handle, &call, INTERFACE "RequestAuthorization", parameters, waits, first);
    if (result == 0) {
        result = next_decision(handle, &call, first);
        bool has_state = result >= 0;
        // What has been read in time counts, and a daemon that sends states without end does not keep the program.
        while (result == 1 && (monotonic_now() < last || connection_has_message(&call.connection))) {
            result = next_decision(handle, &call, last);
        }
        const struct locationd_status *state = &handle->call_status.status.value;
        bool is_pending = result == 0 && !waits && (state->authorization_pending || state->full_accuracy_pending);
        bool is_late = is_pending || result == 1 || (has_state && call.has_timed_out);
        if (is_late) {
            result = fail(handle, LOCATIOND_ERROR_TIMED_OUT,
                          "there is no decision yet; an administrator decides by `sudo locctl authorize`");
        }
        if (result == 0 || is_late) {
            copy_result(status, size, state, sizeof *state);
        }
    }
    call_free(&call);
    return result;
}
