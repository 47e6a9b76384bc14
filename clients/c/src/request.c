#include "request.h"

#include <math.h>

#include "enumerations.h"
#include "options.h"

#define OPTION(type, member, text, kind_, bit_) \
    {.name = text, .kind = kind_, .offset = offsetof(struct locationd_##type, member), .bit = bit_}
#define ROWS(table) table, sizeof(table) / sizeof *(table)

#define GET(member, text, kind, name) OPTION(get_options, member, text, kind, LOCATIOND_GET_HAS_##name)
static const struct option get_table[] = {
    GET(maximum_age, "maximumAge", FIELD_NUMBER, MAXIMUM_AGE),
    GET(timeout, "timeout", FIELD_NUMBER, TIMEOUT),
    GET(required_accuracy, "requiredAccuracy", FIELD_NUMBER, REQUIRED_ACCURACY),
    GET(passive, "passive", FIELD_BOOLEAN, PASSIVE),
    GET(estimate, "estimate", FIELD_BOOLEAN, ESTIMATE),
};

#define WATCH(member, text, kind, name) OPTION(watch_options, member, text, kind, LOCATIOND_WATCH_HAS_##name)
static const struct option watch_table[] = {
    WATCH(distance_filter, "distanceFilter", FIELD_NUMBER, DISTANCE_FILTER),
    WATCH(required_accuracy, "requiredAccuracy", FIELD_NUMBER, REQUIRED_ACCURACY),
    WATCH(desired_accuracy, "desiredAccuracy", FIELD_NUMBER, DESIRED_ACCURACY),
    WATCH(minimum_interval, "minimumInterval", FIELD_NUMBER, MINIMUM_INTERVAL),
    WATCH(interval, "interval", FIELD_NUMBER, INTERVAL),
    WATCH(maximum_delay, "maximumDelay", FIELD_NUMBER, MAXIMUM_DELAY),
    WATCH(pauses_automatically, "pausesAutomatically", FIELD_BOOLEAN, PAUSES_AUTOMATICALLY),
    WATCH(maximum_updates, "maximumUpdates", FIELD_INT64, MAXIMUM_UPDATES),
    WATCH(duration, "duration", FIELD_NUMBER, DURATION),
    WATCH(location, "location", FIELD_BOOLEAN, LOCATION),
    WATCH(heading, "heading", FIELD_BOOLEAN, HEADING),
    WATCH(heading_filter, "headingFilter", FIELD_NUMBER, HEADING_FILTER),
    WATCH(satellites, "satellites", FIELD_BOOLEAN, SATELLITES),
    WATCH(passive, "passive", FIELD_BOOLEAN, PASSIVE),
    WATCH(every_source, "everySource", FIELD_BOOLEAN, EVERY_SOURCE),
    WATCH(estimate, "estimate", FIELD_BOOLEAN, ESTIMATE),
    WATCH(reduced_accuracy, "reducedAccuracy", FIELD_BOOLEAN, REDUCED_ACCURACY),
};

static const struct option monitor_table[] = {
    OPTION(monitor_options, visits, "visits", FIELD_BOOLEAN, LOCATIOND_MONITOR_HAS_VISITS),
    OPTION(monitor_options, passive, "passive", FIELD_BOOLEAN, LOCATIOND_MONITOR_HAS_PASSIVE),
};

static const struct option significant_change_table[] = {
    OPTION(significant_change, distance, "distance", FIELD_NUMBER, LOCATIOND_SIGNIFICANT_CHANGE_HAS_DISTANCE),
    OPTION(significant_change, interval, "interval", FIELD_NUMBER, LOCATIOND_SIGNIFICANT_CHANGE_HAS_INTERVAL),
};

static const struct option authorization_table[] = {
    OPTION(authorization_options, full_accuracy, "fullAccuracy", FIELD_BOOLEAN, LOCATIOND_AUTHORIZATION_HAS_FULL_ACCURACY),
    {.name = "timeout", .kind = FIELD_NUMBER, .offset = offsetof(struct locationd_authorization_options, timeout),
     .bit = LOCATIOND_AUTHORIZATION_HAS_TIMEOUT, .is_local = true},
};

static const struct option region_table[] = {
    OPTION(region, radius, "radius", FIELD_NUMBER, LOCATIOND_REGION_HAS_RADIUS),
    OPTION(region, dwell, "dwell", FIELD_NUMBER, LOCATIOND_REGION_HAS_DWELL),
};

/// Rounded to 7 decimals, about a centimetre, so that more corners fit into a call. The daemon refuses what is out of range.
static double rounded(double degrees) {
    return fabs(degrees) < 1000 ? (double)(int64_t)(degrees * 1e7 + (degrees < 0 ? -0.5 : 0.5)) / 1e7 : degrees;
}

static json_t *coordinate(struct refusal *refusal, const struct locationd_coordinate *position) {
    if (!isfinite(position->latitude) || !isfinite(position->longitude)) {
        refuse(refusal, "a coordinate", "is no finite number");
    }
    json_t *object = json_object();
    set(refusal, object, "latitude", json_real(rounded(position->latitude)));
    set(refusal, object, "longitude", json_real(rounded(position->longitude)));
    return object;
}

static json_t *region(struct refusal *refusal, const struct locationd_region *given) {
    json_t *object = json_object();
    if (given->identifier == NULL) {
        refuse(refusal, "a region", "has no identifier");
    }
    set_text(refusal, object, "identifier", given->identifier);
    set_options(refusal, object, ROWS(region_table), given, given->present, LOCATIOND_REGION_HAS_CENTER);
    if ((given->present & LOCATIOND_REGION_HAS_CENTER) != 0) {
        set(refusal, object, "center", coordinate(refusal, &given->center));
    } else if (given->center.latitude != 0 || given->center.longitude != 0) {
        refuse(refusal, "center", "is set without its bit in `present`");
    }
    if (given->polygon != NULL) {
        json_t *corners = json_array();
        for (size_t index = 0; index < given->polygon_count; index++) {
            if (json_array_append_new(corners, coordinate(refusal, &given->polygon[index])) != 0) {
                set(refusal, NULL, "", NULL);
            }
        }
        set(refusal, object, "polygon", corners);
    } else if (given->polygon_count != 0) {
        refuse(refusal, "polygon", "is NULL, but has a count");
    }
    return object;
}

/// Sets an array of regions that is not NULL; each of `stride` bytes.
static void set_regions(struct refusal *refusal, json_t *object, const char *name, const struct locationd_region *regions,
                        size_t count, size_t stride) {
    if (regions == NULL) {
        if (count != 0) {
            refuse(refusal, name, "is NULL, but has a count");
        }
        return;
    }
    if (stride < offsetof(struct locationd_region, center) || stride > 1 << 16) {
        refuse(refusal, name, "has no size of a region; initialize the options by their macro");
        return;
    }
    json_t *array = json_array();
    for (size_t index = 0; index < count; index++) {
        struct locationd_region known;
        if (!copy_known(&known, sizeof known, (const char *)regions + index * stride, stride)) {
            refuse(refusal, "a region", "has a field that this version of the library does not know");
            break;
        }
        if (json_array_append_new(array, region(refusal, &known)) != 0) {
            set(refusal, NULL, "", NULL);
        }
    }
    set(refusal, object, name, array);
}

json_t *get_parameters(const struct locationd_get_options *options, struct refusal *refusal) {
    json_t *object = json_object();
    for (size_t index = 0; index < sizeof options->reserved; index++) {
        if (options->reserved[index] != 0) {
            refuse(refusal, "`reserved`", "is not zero; initialize the options by their macro");
        }
    }
    set_options(refusal, object, ROWS(get_table), options, options->present, 0);
    return finish(refusal, object);
}

json_t *watch_parameters(const struct locationd_watch_options *options, struct refusal *refusal) {
    json_t *object = json_object();
    set_options(refusal, object, ROWS(watch_table), options, options->present, 0);
    set_name(refusal, object, "activityType", &activity_types, (int)options->activity_type);
    set_text(refusal, object, "purpose", options->purpose);
    if ((options->present & LOCATIOND_WATCH_HAS_MAXIMUM_UPDATES) != 0 && options->maximum_updates < 1) {
        // The library counts them, and cannot leave this to the daemon.
        refuse(refusal, "maximumUpdates", "is less than 1");
    }
    return finish(refusal, object);
}

json_t *monitor_parameters(const struct locationd_monitor_options *options, struct refusal *refusal) {
    json_t *object = json_object();
    set_options(refusal, object, ROWS(monitor_table), options, options->present, 0);
    set_text(refusal, object, "name", options->name);
    set_text(refusal, object, "purpose", options->purpose);
    set_regions(refusal, object, "regions", options->regions, options->region_count, options->region_size);
    struct locationd_significant_change change;
    if (options->significant_change != NULL && take_options(&change, sizeof change, options->significant_change, refusal)) {
        json_t *value = json_object();
        set_options(refusal, value, ROWS(significant_change_table), &change, change.present, 0);
        set(refusal, object, "significantChange", value);
    }
    return finish(refusal, object);
}

json_t *region_change_parameters(const struct locationd_region_changes *changes, struct refusal *refusal) {
    json_t *object = json_object();
    if (changes->name == NULL) {
        refuse(refusal, "name", "is missing");
    }
    set_text(refusal, object, "name", changes->name);
    set_regions(refusal, object, "add", changes->add, changes->add_count, changes->region_size);
    if (changes->remove != NULL) {
        json_t *array = json_array();
        for (size_t index = 0; index < changes->remove_count; index++) {
            if (changes->remove[index] == NULL || json_array_append_new(array, json_string(changes->remove[index])) != 0) {
                refuse(refusal, "remove", "has an identifier that is no UTF-8, or the memory is exhausted");
            }
        }
        set(refusal, object, "remove", array);
    } else if (changes->remove_count != 0) {
        refuse(refusal, "remove", "is NULL, but has a count");
    }
    return finish(refusal, object);
}

json_t *authorization_parameters(const struct locationd_authorization_options *options, struct refusal *refusal) {
    json_t *object = json_object();
    set_options(refusal, object, ROWS(authorization_table), options, options->present, 0);
    if (options->timeout < 0 || options->timeout > 1e9) {
        refuse(refusal, "timeout", "is out of range");
    }
    set_name(refusal, object, "level", &levels,
             options->level == LOCATIOND_LEVEL_UNKNOWN ? LOCATIOND_LEVEL_WHEN_IN_USE : (int)options->level);
    set_text(refusal, object, "purpose", options->purpose);
    set_text(refusal, object, "program", options->program);
    return finish(refusal, object);
}

json_t *no_parameters(struct refusal *refusal) {
    return finish(refusal, json_object());
}

json_t *name_parameters(const char *name, struct refusal *refusal) {
    json_t *object = json_object();
    if (name == NULL) {
        refuse(refusal, "name", "is missing");
    }
    set_text(refusal, object, "name", name);
    return finish(refusal, object);
}
