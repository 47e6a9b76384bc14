// A single call: it waits for its replies on a connection of its own, so that a watch of the same handle goes on.
#ifndef LOCATIOND_CALL_H
#define LOCATIOND_CALL_H

#include "handle.h"

#define INTERFACE "org.locationd.location."

struct call {
    struct connection connection;
    bool is_interruptible; ///< Whether a signal's handler ends the wait: if it may be long.
    bool has_timed_out;    ///< Whether a reply did not come before its deadline.
};

/// Reads the parameters of a reply, which may be NULL, to the handle; of an error too.
typedef void call_reader(struct locationd *handle, struct reading *reading, const json_t *parameters, int error);

/// The deadline that is `seconds` from now.
int64_t deadline_after(double seconds);

/// When a daemon that has not answered is given up, from now.
int64_t silence_deadline(const struct locationd *handle);

/// Connects before the deadline and sends; 0 or an error. The call is to be freed in any case. Becomes the owner of the parameters.
int call_start(struct locationd *handle, struct call *call, const char *method, json_t *parameters, bool more, int64_t deadline);

/// The next reply, to be released; NULL, then `error` is set. For an error that the daemon answers both are.
json_t *call_next(struct locationd *handle, struct call *call, int64_t deadline, int *error);

void call_free(struct call *call);

/// Makes a call with one reply, which comes within `seconds`; 0 or an error. Becomes the owner of the parameters.
int call_perform(struct locationd *handle, const char *method, json_t *parameters, double seconds, bool is_interruptible,
                 call_reader *read);

int fail_unreadable(struct locationd *handle, const char *problem);

#endif
