#include "updates.h"

unsigned read_updates(struct locationd *handle, struct reading *reading, const json_t *parameters) {
    unsigned updates = 0;
    updates |= (unsigned)read_status(reading, parameters, &handle->status) << PENDING_STATUS;
    updates |= (unsigned)read_location(reading, parameters, "location", &handle->location.value) << PENDING_LOCATION;
    updates |= (unsigned)read_heading(reading, parameters, &handle->heading.value) << PENDING_HEADING;
    updates |= (unsigned)read_satellites(reading, parameters, &handle->satellites) << PENDING_SATELLITES;
    updates |= (unsigned)read_region_report(reading, parameters, &handle->region.value, &handle->region_location.value)
        << PENDING_REGION;
    updates |= (unsigned)read_visit(reading, parameters, &handle->visit.value) << PENDING_VISIT;
    return updates;
}

void give_update(struct locationd *handle, struct locationd_update *update) {
    int kind = __builtin_ctz(handle->pending);
    handle->pending &= handle->pending - 1;
    switch ((enum pending_update)kind) {
    case PENDING_STATUS:
        *update = (struct locationd_update) {.kind = LOCATIOND_UPDATE_STATUS, .status = &handle->status.status.value};
        break;
    case PENDING_OUTAGE:
        *update = (struct locationd_update) {.kind = LOCATIOND_UPDATE_STATUS, .status = &handle->outage.value};
        break;
    case PENDING_REGION:
        *update = (struct locationd_update) {.kind = LOCATIOND_UPDATE_REGION, .region = &handle->region.value};
        break;
    case PENDING_LOCATION:
        *update = (struct locationd_update) {.kind = LOCATIOND_UPDATE_LOCATION, .location = &handle->location.value};
        break;
    case PENDING_HEADING:
        *update = (struct locationd_update) {.kind = LOCATIOND_UPDATE_HEADING, .heading = &handle->heading.value};
        break;
    case PENDING_SATELLITES:
        *update = (struct locationd_update) {
            .kind = LOCATIOND_UPDATE_SATELLITES,
            .satellites = (const struct locationd_satellite *const *)handle->satellites.pointers,
            .satellite_count = handle->satellites.count,
        };
        break;
    case PENDING_VISIT:
    case PENDING_COUNT:
        *update = (struct locationd_update) {.kind = LOCATIOND_UPDATE_VISIT, .visit = &handle->visit.value};
        break;
    }
}
