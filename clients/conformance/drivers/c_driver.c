#define _POSIX_C_SOURCE 200809L
/* The driver over liblocationd: performs one call and writes what comes of it, a line for each event. See ../README.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "c_output.h"

static json_t *limits; /* Numbers of events by kind after which the driver exits. */
static json_t *counts;
static json_int_t pause_after;

static void report(const char *kind, json_t *event)
{
    json_object_set_new(event, "event", json_string(kind));
    if (json_dumpf(event, stdout, JSON_COMPACT | JSON_REAL_PRECISION(17)))
        exit(1);
    putchar('\n');
    fflush(stdout);
    json_decref(event);
    const char *names[] = {"events", kind};
    for (size_t index = 0; index < 2; index++) {
        json_int_t count = json_integer_value(json_object_get(counts, names[index])) + 1;
        json_object_set_new(counts, names[index], json_integer(count));
        json_t *limit = json_object_get(limits, names[index]);
        if (limit && count >= json_integer_value(limit))
            exit(0);
        if (index == 0 && count == pause_after)
            while (getchar() != '\n')
                if (feof(stdin))
                    exit(1);
    }
}

static const char *error_name(int error)
{
    switch (error) {
    case LOCATIOND_ERROR_UNREACHABLE: return "Unreachable";
    case LOCATIOND_ERROR_NOT_AUTHORIZED: return "NotAuthorized";
    case LOCATIOND_ERROR_DISABLED: return "Disabled";
    case LOCATIOND_ERROR_LOCATION_UNAVAILABLE: return "LocationUnavailable";
    case LOCATIOND_ERROR_TIMED_OUT: return "TimedOut";
    case LOCATIOND_ERROR_TOO_MANY_CLIENTS: return "TooManyClients";
    case LOCATIOND_ERROR_TOO_MANY_REQUESTS: return "TooManyRequests";
    case LOCATIOND_ERROR_TOO_MANY_AUTHORIZATIONS: return "TooManyAuthorizations";
    case LOCATIOND_ERROR_TOO_MANY_REGIONS: return "TooManyRegions";
    case LOCATIOND_ERROR_NO_SUCH_MONITOR: return "NoSuchMonitor";
    case LOCATIOND_ERROR_MONITOR_IN_USE: return "MonitorInUse";
    case LOCATIOND_ERROR_INVALID_PARAMETER: return "InvalidParameter";
    case LOCATIOND_ERROR_PERMISSION_DENIED: return "PermissionDenied";
    case LOCATIOND_ERROR_OTHER: return "Other";
    default: return "Failed";
    }
}

/* Writes the error, or the end if there is none, and ends the process. */
static void finish(struct locationd *handle, int error)
{
    if (error < 0 && error != LOCATIOND_ERROR_ENDED) {
        json_t *event = json_pack("{s:s, s:s}", "name", error_name(error), "message", locationd_error_message(handle));
        const struct locationd_location *best = locationd_best(handle);
        if (best)
            json_object_set_new(event, "best", location_json(best));
        report("error", event);
    } else {
        report("end", json_object());
    }
    locationd_close(handle);
    exit(0);
}

/* A name that is not known is an error of the scenario. */
static void refuse(const char *key)
{
    fprintf(stderr, "no option: %s\n", key);
    exit(2);
}

static struct locationd_get_options get_options(json_t *options)
{
    struct locationd_get_options result = LOCATIOND_GET_OPTIONS_INIT;
    const char *key;
    json_t *value;
    json_object_foreach(options, key, value) {
        if (!take_get_options(&result, key, value))
            refuse(key);
    }
    return result;
}

static struct locationd_watch_options watch_options(json_t *options)
{
    struct locationd_watch_options result = LOCATIOND_WATCH_OPTIONS_INIT;
    const char *key;
    json_t *value;
    json_object_foreach(options, key, value) {
        if (!take_watch_options(&result, key, value))
            refuse(key);
    }
    return result;
}

/* The regions of a list, which live as long as the process. */
static struct locationd_region *regions_of(json_t *list)
{
    struct locationd_region *regions = calloc(json_array_size(list) + 1, sizeof *regions);
    size_t index;
    json_t *item;
    if (!regions)
        exit(1);
    json_array_foreach(list, index, item) {
        struct locationd_region *region = &regions[index];
        region->identifier = json_string_value(json_object_get(item, "identifier"));
        json_t *center = json_object_get(item, "center"), *dwell = json_object_get(item, "dwell");
        region->center.latitude = json_number_value(json_object_get(center, "latitude"));
        region->center.longitude = json_number_value(json_object_get(center, "longitude"));
        region->radius = json_number_value(json_object_get(item, "radius"));
        region->present = LOCATIOND_REGION_HAS_CENTER | LOCATIOND_REGION_HAS_RADIUS;
        if (dwell) {
            region->dwell = json_number_value(dwell);
            region->present |= LOCATIOND_REGION_HAS_DWELL;
        }
    }
    return regions;
}

static void report_status(const struct locationd_status *status)
{
    json_t *event = status_json(status);
    if (!status->connected)
        json_object_set_new(event, "outage", json_true());
    report("status", event);
}

static void follow(struct locationd *handle)
{
    for (;;) {
        struct locationd_update update;
        int result = locationd_next(handle, &update, sizeof update, -1);
        if (result < 0)
            finish(handle, result);
        json_t *event, *satellites;
        switch (update.kind) {
        case LOCATIOND_UPDATE_STATUS: report_status(update.status); break;
        case LOCATIOND_UPDATE_LOCATION:
            event = location_json(update.location);
            if (locationd_dropped(handle) > 0)
                json_object_set_new(event, "dropped", json_integer((json_int_t)locationd_dropped(handle)));
            report("location", event);
            break;
        case LOCATIOND_UPDATE_HEADING: report("heading", heading_json(update.heading)); break;
        case LOCATIOND_UPDATE_SATELLITES:
            satellites = json_array();
            for (size_t index = 0; index < update.satellite_count; index++)
                json_array_append_new(satellites, satellite_json(update.satellites[index]));
            report("satellites", json_pack("{s:o}", "satellites", satellites));
            break;
        case LOCATIOND_UPDATE_REGION:
            report("region", json_pack("{s:o}", "report", region_report_json(update.region)));
            break;
        case LOCATIOND_UPDATE_VISIT: report("visit", visit_json(update.visit)); break;
        default: break;
        }
    }
}

static int monitor(struct locationd *handle, json_t *options)
{
    struct locationd_monitor_options result = LOCATIOND_MONITOR_OPTIONS_INIT;
    struct locationd_significant_change change = LOCATIOND_SIGNIFICANT_CHANGE_INIT;
    const char *key;
    json_t *value;
    json_object_foreach(options, key, value) {
        if (!strcmp(key, "regions")) {
            result.regions = regions_of(value);
            result.region_count = json_array_size(value);
        } else if (!strcmp(key, "significantChange")) {
            change.distance = json_number_value(json_object_get(value, "distance"));
            change.present = LOCATIOND_SIGNIFICANT_CHANGE_HAS_DISTANCE;
            result.significant_change = &change;
        } else if (!take_monitor_options(&result, key, value)) {
            refuse(key);
        }
    }
    return locationd_monitor(handle, &result);
}

static int change_regions(struct locationd *handle, json_t *options)
{
    struct locationd_region_changes changes = LOCATIOND_REGION_CHANGES_INIT;
    json_t *add = json_object_get(options, "add"), *remove = json_object_get(options, "remove");
    const char **identifiers = calloc(json_array_size(remove) + 1, sizeof *identifiers);
    if (!identifiers)
        exit(1);
    for (size_t index = 0; index < json_array_size(remove); index++)
        identifiers[index] = json_string_value(json_array_get(remove, index));
    changes.name = json_string_value(json_object_get(options, "name"));
    changes.add = regions_of(add);
    changes.add_count = json_array_size(add);
    changes.remove = identifiers;
    changes.remove_count = json_array_size(remove);
    return locationd_change_regions(handle, &changes);
}

static int request_authorization(struct locationd *handle, json_t *options, struct locationd_status *status)
{
    struct locationd_authorization_options result = LOCATIOND_AUTHORIZATION_OPTIONS_INIT;
    const char *key;
    json_t *value;
    json_object_foreach(options, key, value) {
        if (!take_authorization_options(&result, key, value))
            refuse(key);
    }
    return locationd_request_authorization(handle, &result, status, sizeof *status);
}

int main(void)
{
    char *line = NULL;
    size_t room = 0;
    json_t *call = getline(&line, &room, stdin) > 0 ? json_loads(line, 0, NULL) : NULL;
    if (!call)
        return 2;
    const char *name = json_string_value(json_object_get(call, "call"));
    json_t *options = json_object_get(call, "options");
    limits = json_object_get(call, "stop_after");
    counts = json_object();
    pause_after = json_integer_value(json_object_get(json_object_get(call, "pause_after"), "events"));

    struct locationd *handle;
    int result = locationd_open(&handle, NULL);
    if (result < 0 || !name)
        return 1;
    if (!strcmp(name, "watch")) {
        struct locationd_watch_options wanted = watch_options(options);
        result = locationd_watch(handle, &wanted);
        if (!result)
            follow(handle);
    } else if (!strcmp(name, "regions")) {
        result = monitor(handle, options);
        if (!result)
            follow(handle);
    } else if (!strcmp(name, "get")) {
        struct locationd_get_options wanted = get_options(options);
        struct locationd_location location;
        result = locationd_get(handle, &wanted, &location, sizeof location);
        if (!result)
            report("location", location_json(&location));
    } else if (!strcmp(name, "status") || !strcmp(name, "request_authorization")) {
        struct locationd_status status;
        result = !strcmp(name, "status") ? locationd_status(handle, &status, sizeof status)
                                         : request_authorization(handle, options, &status);
        if (!result)
            report_status(&status);
    } else if (!strcmp(name, "change_regions")) {
        result = change_regions(handle, options);
    } else if (!strcmp(name, "remove_monitor")) {
        result = locationd_remove_monitor(handle, json_string_value(json_object_get(options, "name")));
    } else {
        fprintf(stderr, "liblocationd has no call %s\n", name);
        return 2;
    }
    finish(handle, result);
}
