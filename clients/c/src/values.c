#include "values.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "enumerations.h"

// The rows of the tables: the struct's name, its member, the interface's name, the bit in `present`. A field whose bit is
// ALWAYS is required; an enumeration has NO_BIT, because its 0 says that it is absent.
#define FIELD(type, member, text, kind_, bit_) \
    .name = text, .kind = kind_, .offset = offsetof(struct locationd_##type, member), \
    .size = sizeof(((struct locationd_##type *)0)->member), .bit = (bit_) == NO_BIT ? 0 : (bit_), .is_required = (bit_) == ALWAYS
#define NUMBER(type, member, text, bit_, ...) {FIELD(type, member, text, FIELD_NUMBER, bit_), __VA_ARGS__}
#define COUNT(type, member, text, bit_, ...) {FIELD(type, member, text, FIELD_INT32, bit_), __VA_ARGS__}
#define ANGLE(type, member, text, bit_, high) \
    {FIELD(type, member, text, FIELD_NUMBER, bit_), .minimum = 0, .maximum = high, .is_below_maximum = true}
#define PLAIN(type, member, text, kind_, bit_) {FIELD(type, member, text, kind_, bit_)}
#define OPTIONAL_NAME(type, member, text, names_) {FIELD(type, member, text, FIELD_ENUMERATION, NO_BIT), .enumeration = &names_}
#define REQUIRED_NAME(type, member, text, names_) {FIELD(type, member, text, FIELD_ENUMERATION, ALWAYS), .enumeration = &names_}
#define BETWEEN(low, high) .minimum = low, .maximum = high
#define ANY BETWEEN(-DBL_MAX, DBL_MAX)
#define NOT_NEGATIVE BETWEEN(0, DBL_MAX)
#define ROWS(table) table, sizeof(table) / sizeof *(table)

#define ALWAYS UINT64_C(0)
#define NO_BIT UINT64_MAX

#define HAS(name) LOCATIOND_LOCATION_HAS_##name
static const struct field location_fields[] = {
    NUMBER(location, latitude, "latitude", ALWAYS, BETWEEN(-90, 90)),
    NUMBER(location, longitude, "longitude", ALWAYS, BETWEEN(-180, 180)),
    NUMBER(location, horizontal_accuracy, "horizontalAccuracy", HAS(HORIZONTAL_ACCURACY), NOT_NEGATIVE),
    OPTIONAL_NAME(location, accuracy_basis, "accuracyBasis", accuracy_bases),
    NUMBER(location, altitude, "altitude", HAS(ALTITUDE), ANY),
    NUMBER(location, ellipsoidal_altitude, "ellipsoidalAltitude", HAS(ELLIPSOIDAL_ALTITUDE), ANY),
    NUMBER(location, geoid_separation, "geoidSeparation", HAS(GEOID_SEPARATION), ANY),
    NUMBER(location, vertical_accuracy, "verticalAccuracy", HAS(VERTICAL_ACCURACY), NOT_NEGATIVE),
    NUMBER(location, speed, "speed", HAS(SPEED), NOT_NEGATIVE),
    NUMBER(location, speed_accuracy, "speedAccuracy", HAS(SPEED_ACCURACY), NOT_NEGATIVE),
    ANGLE(location, course, "course", HAS(COURSE), 360),
    NUMBER(location, course_accuracy, "courseAccuracy", HAS(COURSE_ACCURACY), NOT_NEGATIVE),
    NUMBER(location, climb, "climb", HAS(CLIMB), ANY),
    NUMBER(location, climb_accuracy, "climbAccuracy", HAS(CLIMB_ACCURACY), NOT_NEGATIVE),
    NUMBER(location, magnetic_variation, "magneticVariation", HAS(MAGNETIC_VARIATION), ANY),
    REQUIRED_NAME(location, mode, "mode", modes),
    OPTIONAL_NAME(location, augmentation, "augmentation", augmentations),
    COUNT(location, satellites_used, "satellitesUsed", HAS(SATELLITES_USED), BETWEEN(0, INT32_MAX)),
    NUMBER(location, hdop, "hdop", HAS(HDOP), NOT_NEGATIVE),
    NUMBER(location, vdop, "vdop", HAS(VDOP), NOT_NEGATIVE),
    NUMBER(location, pdop, "pdop", HAS(PDOP), NOT_NEGATIVE),
    OPTIONAL_NAME(location, antenna, "antenna", antennas),
    COUNT(location, jamming, "jamming", HAS(JAMMING), BETWEEN(0, 255)),
    PLAIN(location, timestamp, "timestamp", FIELD_TIME, HAS(TIMESTAMP)),
    PLAIN(location, timestamp_implausible, "timestampImplausible", FIELD_BOOLEAN, HAS(TIMESTAMP_IMPLAUSIBLE)),
    OPTIONAL_NAME(location, implausible, "implausible", implausibilities),
    OPTIONAL_NAME(location, basis, "basis", bases),
    NUMBER(location, age, "age", ALWAYS, ANY),
    NUMBER(location, monotonic_time, "monotonicTime", ALWAYS, ANY),
    PLAIN(location, sequence, "sequence", FIELD_INT64, ALWAYS),
};
#undef HAS

static const struct field ellipse_fields[] = {
    NUMBER(error_ellipse, semi_major_axis, "semiMajorAxis", ALWAYS, NOT_NEGATIVE),
    NUMBER(error_ellipse, semi_minor_axis, "semiMinorAxis", ALWAYS, NOT_NEGATIVE),
    ANGLE(error_ellipse, orientation, "orientation", ALWAYS, 180),
    PLAIN(error_ellipse, is_standard_deviation, "isStandardDeviation", FIELD_BOOLEAN, ALWAYS),
};

static const struct field source_fields[] = {
    PLAIN(source, name, "name", FIELD_TEXT, ALWAYS),
    PLAIN(source, device, "device", FIELD_TEXT, LOCATIOND_SOURCE_HAS_DEVICE),
    OPTIONAL_NAME(source, method, "method", methods),
    PLAIN(source, is_simulated, "isSimulated", FIELD_BOOLEAN, ALWAYS),
    PLAIN(source, is_replayed, "isReplayed", FIELD_BOOLEAN, ALWAYS),
};

static const struct field heading_fields[] = {
    ANGLE(heading, true_heading, "trueHeading", LOCATIOND_HEADING_HAS_TRUE_HEADING, 360),
    ANGLE(heading, magnetic_heading, "magneticHeading", LOCATIOND_HEADING_HAS_MAGNETIC_HEADING, 360),
    NUMBER(heading, accuracy, "accuracy", LOCATIOND_HEADING_HAS_ACCURACY, NOT_NEGATIVE),
    NUMBER(heading, pitch, "pitch", LOCATIOND_HEADING_HAS_PITCH, BETWEEN(-90, 90)),
    NUMBER(heading, roll, "roll", LOCATIOND_HEADING_HAS_ROLL, BETWEEN(-180, 180)),
    PLAIN(heading, timestamp, "timestamp", FIELD_TIME, LOCATIOND_HEADING_HAS_TIMESTAMP),
    NUMBER(heading, age, "age", ALWAYS, ANY),
};

static const struct field satellite_fields[] = {
    PLAIN(satellite, gnss, "gnss", FIELD_TEXT, ALWAYS),
    COUNT(satellite, id, "id", ALWAYS, BETWEEN(1, INT32_MAX)),
    ANGLE(satellite, azimuth, "azimuth", LOCATIOND_SATELLITE_HAS_AZIMUTH, 360),
    NUMBER(satellite, elevation, "elevation", LOCATIOND_SATELLITE_HAS_ELEVATION, BETWEEN(-90, 90)),
    NUMBER(satellite, signal, "signal", LOCATIOND_SATELLITE_HAS_SIGNAL, ANY),
    PLAIN(satellite, used, "used", FIELD_BOOLEAN, ALWAYS),
};

static const struct field ranked_source_fields[] = {
    PLAIN(ranked_source, name, "name", FIELD_TEXT, ALWAYS),
    REQUIRED_NAME(ranked_source, state, "state", source_states),
    PLAIN(ranked_source, reason, "reason", FIELD_TEXT, LOCATIOND_RANKED_SOURCE_HAS_REASON),
    NUMBER(ranked_source, fix_age, "fixAge", LOCATIOND_RANKED_SOURCE_HAS_FIX_AGE, ANY),
};

#define HAS(name) LOCATIOND_STATUS_HAS_##name
static const struct field status_fields[] = {
    REQUIRED_NAME(status, authorization, "authorization", authorizations),
    REQUIRED_NAME(status, accuracy, "accuracy", accuracies),
    PLAIN(status, enabled, "enabled", FIELD_BOOLEAN, ALWAYS),
    REQUIRED_NAME(status, source, "source", source_states),
    PLAIN(status, reason, "reason", FIELD_TEXT, HAS(REASON)),
    NUMBER(status, fix_age, "fixAge", HAS(FIX_AGE), ANY),
    COUNT(status, satellites_visible, "satellitesVisible", HAS(SATELLITES_VISIBLE), BETWEEN(0, INT32_MAX)),
    COUNT(status, satellites_used, "satellitesUsed", HAS(SATELLITES_USED), BETWEEN(0, INT32_MAX)),
    PLAIN(status, authorization_pending, "authorizationPending", FIELD_BOOLEAN, ALWAYS),
    PLAIN(status, full_accuracy_pending, "fullAccuracyPending", FIELD_BOOLEAN, HAS(FULL_ACCURACY_PENDING)),
    NUMBER(status, authorization_remaining, "authorizationRemaining", HAS(AUTHORIZATION_REMAINING), ANY),
    PLAIN(status, stationary, "stationary", FIELD_BOOLEAN, HAS(STATIONARY)),
    PLAIN(status, paused, "paused", FIELD_BOOLEAN, HAS(PAUSED)),
    PLAIN(status, heading_available, "headingAvailable", FIELD_BOOLEAN, HAS(HEADING_AVAILABLE)),
    PLAIN(status, source_name, "sourceName", FIELD_TEXT, HAS(SOURCE_NAME)),
};
#undef HAS

static const struct field report_fields[] = {
    PLAIN(region_report, identifier, "identifier", FIELD_TEXT, ALWAYS),
    REQUIRED_NAME(region_report, state, "state", region_states),
    OPTIONAL_NAME(region_report, event, "event", region_events),
};

static const struct field visit_fields[] = {
    NUMBER(visit, latitude, "latitude", ALWAYS, BETWEEN(-90, 90)),
    NUMBER(visit, longitude, "longitude", ALWAYS, BETWEEN(-180, 180)),
    NUMBER(visit, horizontal_accuracy, "horizontalAccuracy", ALWAYS, NOT_NEGATIVE),
    PLAIN(visit, arrival, "arrival", FIELD_TIME, LOCATIOND_VISIT_HAS_ARRIVAL),
    PLAIN(visit, departure, "departure", FIELD_TIME, LOCATIOND_VISIT_HAS_DEPARTURE),
    PLAIN(visit, is_present, "isPresent", FIELD_BOOLEAN, ALWAYS),
};

void list_free(struct list *list) {
    free(list->block);
    free(list->pointers);
    *list = (struct list) {0};
}

void status_storage_free(struct status_storage *storage) {
    list_free(&storage->sources);
    list_free(&storage->compasses);
}

/// Makes `count` zeroed objects with room after each.
static bool list_resize(struct list *list, size_t count, size_t size) {
    size_t stride = size + growth_limit;
    if (count > list->capacity) {
        list_free(list);
        list->block = malloc(count * stride);
        list->pointers = malloc(count * sizeof *list->pointers);
        if (list->block == NULL || list->pointers == NULL) {
            list_free(list);
            return false;
        }
        list->capacity = count;
    }
    list->count = count;
    if (count > 0) {
        memset(list->block, 0, count * stride);
    }
    for (size_t index = 0; index < count; index++) {
        list->pointers[index] = (char *)list->block + index * stride;
    }
    return true;
}

/// Reads an array of at most `limit` objects of `size` bytes that begin with `present`. False if there is none, or the reading
/// has failed.
static bool read_list(struct reading *reading, const json_t *object, const char *name, size_t limit, struct list *list,
                      size_t size, const struct field *fields, size_t field_count) {
    const json_t *array = read_array(reading, object, name);
    list->count = 0;
    if (array == NULL) {
        return false;
    }
    // Before memory is made for them: each element takes far more of it than of the message.
    if (json_array_size(array) > limit) {
        return reading_fail(reading, name, "has too many elements");
    }
    if (!list_resize(list, json_array_size(array), size)) {
        return reading_fail(reading, name, "exceeds the memory");
    }
    for (size_t index = 0; index < list->count; index++) {
        const json_t *element = json_array_get(array, index);
        if (!json_is_object(element)) {
            return reading_fail(reading, name, "has an element that is no object");
        }
        void *place = (void *)list->pointers[index];
        if (!read_fields(reading, element, fields, field_count, place, place)) {
            return false;
        }
    }
    return true;
}

bool read_location(struct reading *reading, const json_t *object, const char *name, struct locationd_location *location) {
    const json_t *value = read_object(reading, object, name, false);
    *location = (struct locationd_location) {0};
    if (value == NULL || !read_fields(reading, value, ROWS(location_fields), location, &location->present)) {
        return false;
    }
    const json_t *source = read_object(reading, value, "source", true);
    const json_t *ellipse = read_object(reading, value, "errorEllipse", false);
    if (source != NULL) {
        read_fields(reading, source, ROWS(source_fields), &location->source, &location->source.present);
    }
    if (ellipse != NULL && read_fields(reading, ellipse, ROWS(ellipse_fields), &location->error_ellipse, NULL)) {
        location->present |= LOCATIOND_LOCATION_HAS_ERROR_ELLIPSE;
    }
    return !reading->has_failed;
}

bool read_status(struct reading *reading, const json_t *object, struct status_storage *storage) {
    const json_t *value = read_object(reading, object, "status", false);
    struct locationd_status *status = &storage->status.value;
    *status = (struct locationd_status) {.connected = true};
    if (value == NULL || !read_fields(reading, value, ROWS(status_fields), status, &status->present)) {
        return false;
    }
    const size_t size = sizeof(struct locationd_ranked_source);
    if (read_list(reading, value, "sources", source_limit, &storage->sources, size, ROWS(ranked_source_fields))) {
        status->present |= LOCATIOND_STATUS_HAS_SOURCES;
        status->source_count = storage->sources.count;
        status->sources = (const struct locationd_ranked_source *const *)storage->sources.pointers;
    }
    if (read_list(reading, value, "compasses", source_limit, &storage->compasses, size, ROWS(ranked_source_fields))) {
        status->present |= LOCATIOND_STATUS_HAS_COMPASSES;
        status->compass_count = storage->compasses.count;
        status->compasses = (const struct locationd_ranked_source *const *)storage->compasses.pointers;
    }
    return !reading->has_failed;
}

bool read_heading(struct reading *reading, const json_t *object, struct locationd_heading *heading) {
    const json_t *value = read_object(reading, object, "heading", false);
    *heading = (struct locationd_heading) {0};
    return value != NULL && read_fields(reading, value, ROWS(heading_fields), heading, &heading->present);
}

bool read_visit(struct reading *reading, const json_t *object, struct locationd_visit *visit) {
    const json_t *value = read_object(reading, object, "visit", false);
    *visit = (struct locationd_visit) {0};
    return value != NULL && read_fields(reading, value, ROWS(visit_fields), visit, &visit->present);
}

bool read_satellites(struct reading *reading, const json_t *object, struct list *satellites) {
    return read_list(reading, object, "satellites", satellite_limit, satellites, sizeof(struct locationd_satellite),
                     ROWS(satellite_fields));
}

bool read_region_report(struct reading *reading, const json_t *object, struct locationd_region_report *report,
                        struct locationd_location *location) {
    const json_t *value = read_object(reading, object, "region", false);
    *report = (struct locationd_region_report) {0};
    if (value == NULL || !read_fields(reading, value, ROWS(report_fields), report, NULL)) {
        return false;
    }
    if (read_location(reading, value, "location", location)) {
        report->present |= LOCATIOND_REGION_REPORT_HAS_LOCATION;
        report->location = location;
    }
    return !reading->has_failed;
}

void read_dropped(struct reading *reading, const json_t *object, uint64_t *dropped) {
    static const struct field field = {.name = "dropped", .kind = FIELD_INT64};
    int64_t count = 0;
    if (read_fields(reading, object, &field, 1, &count, NULL) && count < 0) {
        reading_fail(reading, field.name, "is out of range");
    } else if (!reading->has_failed) {
        *dropped = *dropped > UINT64_MAX - (uint64_t)count ? UINT64_MAX : *dropped + (uint64_t)count;
    }
}
