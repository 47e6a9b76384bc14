// The watch or monitor of a handle: connection, session and values together, a step at a time.
#ifndef LOCATIOND_STREAM_H
#define LOCATIOND_STREAM_H

#include "handle.h"

enum { STREAM_NOTHING = 0, STREAM_UPDATE = 1, STREAM_AGAIN = 2 };

/// Begins to call `method`; the stream becomes the owner of the parameters.
void stream_start(struct locationd *handle, const char *method, json_t *parameters, int64_t maximum_updates, bool has_duration);

/// Ends it. What it has given out stays until the next call.
void stream_stop(struct locationd *handle);

/**
 * Does one thing without waiting: STREAM_UPDATE if that was to give out an update, STREAM_AGAIN if there may be more to do,
 * STREAM_NOTHING if the descriptor or the deadline is to be awaited, or the error that has ended the stream.
 */
int stream_step(struct locationd *handle, struct locationd_update *update);

/// When there is more to do, if nothing arrives: at once (0) while anything can be given out.
int64_t stream_deadline(struct locationd *handle);

#endif
