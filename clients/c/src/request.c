#include "request.h"

#include <math.h>

#include "tables.h"

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
    set_options(refusal, object, &region_table, given, given->present, LOCATIOND_REGION_HAS_CENTER);
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
    set_options(refusal, object, &get_options_table, options, options->present, 0);
    return finish(refusal, object);
}

json_t *watch_parameters(const struct locationd_watch_options *options, struct refusal *refusal) {
    json_t *object = json_object();
    set_options(refusal, object, &watch_options_table, options, options->present, 0);
    if ((options->present & LOCATIOND_WATCH_HAS_MAXIMUM_UPDATES) != 0 && options->maximum_updates < 1) {
        // The library counts them, and cannot leave this to the daemon.
        refuse(refusal, "maximumUpdates", "is less than 1");
    }
    return finish(refusal, object);
}

json_t *monitor_parameters(const struct locationd_monitor_options *options, struct refusal *refusal) {
    json_t *object = json_object();
    set_options(refusal, object, &monitor_options_table, options, options->present, 0);
    set_regions(refusal, object, "regions", options->regions, options->region_count, options->region_size);
    struct locationd_significant_change change;
    if (options->significant_change != NULL && take_options(&change, sizeof change, options->significant_change, refusal)) {
        json_t *value = json_object();
        set_options(refusal, value, &significant_change_table, &change, change.present, 0);
        set(refusal, object, "significantChange", value);
    }
    return finish(refusal, object);
}

json_t *region_change_parameters(const struct locationd_region_changes *changes, struct refusal *refusal) {
    json_t *object = json_object();
    if (changes->name == NULL) {
        refuse(refusal, "name", "is missing");
    }
    set_options(refusal, object, &region_changes_table, changes, 0, 0);
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
    struct locationd_authorization_options known = *options;
    known.level = known.level == LOCATIOND_LEVEL_UNKNOWN ? LOCATIOND_LEVEL_WHEN_IN_USE : known.level;
    set_options(refusal, object, &authorization_options_table, &known, known.present, 0);
    if (options->timeout < 0 || options->timeout > 1e9) {
        refuse(refusal, "timeout", "is out of range");
    }
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
