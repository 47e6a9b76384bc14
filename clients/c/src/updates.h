// The updates of one reply, which are given out one at a time.
#ifndef LOCATIOND_UPDATES_H
#define LOCATIOND_UPDATES_H

#include "handle.h"

/// In the order in which they are given out. That of an outage comes after those before it.
enum pending_update {
    PENDING_STATUS, PENDING_REGION, PENDING_LOCATION, PENDING_HEADING, PENDING_SATELLITES, PENDING_VISIT, PENDING_OUTAGE, PENDING_COUNT
};

/// Reads the values of a reply to the handle; the bits of what it has.
unsigned read_updates(struct locationd *handle, struct reading *reading, const json_t *parameters);

/// Gives out the first of the pending updates, of which there is one.
void give_update(struct locationd *handle, struct locationd_update *update);

#endif
