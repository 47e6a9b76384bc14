// The fields of the interface with distinct values, what each is read as, and its range. Independent of the library's tables.
#ifndef VALUE_ROWS_H
#define VALUE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "locationd.h"

enum kind { NUMBER, INT32, INT64, BOOLEAN, TEXT, NAME };

/// A field, the value that is sent, and what it is read as.
struct row {
    const char *name, *json;
    enum kind kind;
    size_t offset;
    double number;
    const char *text;
    uint64_t bit; ///< 0 for one that is required, or an enumeration.
    bool is_required;
    const char *borders[2], *beyond[2]; ///< Values that are just accepted, and just refused.
};

#define ROW(type, member, name_, kind_, value, ...) \
    {.name = name_, .json = #value, .kind = kind_, .offset = offsetof(struct locationd_##type, member), .number = value, __VA_ARGS__}
#define TEXT_ROW(type, member, name_, value, ...) \
    {.name = name_, .json = "\"" value "\"", .kind = TEXT, .offset = offsetof(struct locationd_##type, member), .text = value, \
     __VA_ARGS__}
#define NAME_ROW(type, member, name_, value, constant, ...) \
    {.name = name_, .json = "\"" value "\"", .kind = NAME, .offset = offsetof(struct locationd_##type, member), .number = (int)constant, \
     __VA_ARGS__}
#define TIME_ROW(type, member, name_, value, time, ...) \
    {.name = name_, .json = "\"" value "\"", .kind = INT64, .offset = offsetof(struct locationd_##type, member), .number = time, \
     __VA_ARGS__}
#define NEEDED .is_required = true
#define OPTIONAL .bit = 0
#define BETWEEN(low, high, below, above) .borders = {low, high}, .beyond = {below, above}
#define NOT_NEGATIVE BETWEEN("0", "1e300", "-0.001", "1e999")
#define COUNT(low, below) BETWEEN(low, "2147483647", below, "2147483648")
#define FINITE BETWEEN("-1e300", "1e300", "-1e999", "1e999")

#define BIT(name) .bit = LOCATIOND_LOCATION_HAS_##name
static const struct row location_rows[] = {
    ROW(location, latitude, "latitude", NUMBER, -52.5, NEEDED, BETWEEN("-90", "90", "-90.001", "90.001")),
    ROW(location, longitude, "longitude", NUMBER, 13.25, NEEDED, BETWEEN("-180", "180", "-180.001", "180.001")),
    ROW(location, horizontal_accuracy, "horizontalAccuracy", NUMBER, 1.5, BIT(HORIZONTAL_ACCURACY), NOT_NEGATIVE),
    NAME_ROW(location, accuracy_basis, "accuracyBasis", "fromDOP", LOCATIOND_ACCURACY_BASIS_FROM_DOP, OPTIONAL),
    ROW(location, altitude, "altitude", NUMBER, -2.5, BIT(ALTITUDE), FINITE),
    ROW(location, ellipsoidal_altitude, "ellipsoidalAltitude", NUMBER, 3.5, BIT(ELLIPSOIDAL_ALTITUDE), FINITE),
    ROW(location, geoid_separation, "geoidSeparation", NUMBER, -4.5, BIT(GEOID_SEPARATION), FINITE),
    ROW(location, vertical_accuracy, "verticalAccuracy", NUMBER, 5.5, BIT(VERTICAL_ACCURACY), NOT_NEGATIVE),
    ROW(location, speed, "speed", NUMBER, 6.5, BIT(SPEED), NOT_NEGATIVE),
    ROW(location, speed_accuracy, "speedAccuracy", NUMBER, 7.5, BIT(SPEED_ACCURACY), NOT_NEGATIVE),
    ROW(location, course, "course", NUMBER, 8.5, BIT(COURSE), BETWEEN("0", "359.999", "-0.001", "360")),
    ROW(location, course_accuracy, "courseAccuracy", NUMBER, 9.5, BIT(COURSE_ACCURACY), NOT_NEGATIVE),
    ROW(location, climb, "climb", NUMBER, -10.5, BIT(CLIMB), FINITE),
    ROW(location, climb_accuracy, "climbAccuracy", NUMBER, 11.5, BIT(CLIMB_ACCURACY), NOT_NEGATIVE),
    ROW(location, magnetic_variation, "magneticVariation", NUMBER, -12.5, BIT(MAGNETIC_VARIATION), FINITE),
    NAME_ROW(location, mode, "mode", "threeDimensional", LOCATIOND_MODE_THREE_DIMENSIONAL, NEEDED),
    NAME_ROW(location, augmentation, "augmentation", "rtkFloat", LOCATIOND_AUGMENTATION_RTK_FLOAT, OPTIONAL),
    ROW(location, satellites_used, "satellitesUsed", INT32, 14, BIT(SATELLITES_USED), COUNT("0", "-1")),
    ROW(location, hdop, "hdop", NUMBER, 15.5, BIT(HDOP), NOT_NEGATIVE),
    ROW(location, vdop, "vdop", NUMBER, 16.5, BIT(VDOP), NOT_NEGATIVE),
    ROW(location, pdop, "pdop", NUMBER, 17.5, BIT(PDOP), NOT_NEGATIVE),
    NAME_ROW(location, antenna, "antenna", "short", LOCATIOND_ANTENNA_SHORT, OPTIONAL),
    ROW(location, jamming, "jamming", INT32, 201, BIT(JAMMING), BETWEEN("0", "255", "-1", "256")),
    TIME_ROW(location, timestamp, "timestamp", "1970-01-01T00:00:18.250Z", 18250, BIT(TIMESTAMP)),
    ROW(location, timestamp_implausible, "timestampImplausible", BOOLEAN, true, BIT(TIMESTAMP_IMPLAUSIBLE)),
    NAME_ROW(location, implausible, "implausible", "jump", LOCATIOND_IMPLAUSIBLE_JUMP, OPTIONAL),
    NAME_ROW(location, basis, "basis", "predicted", LOCATIOND_BASIS_PREDICTED, OPTIONAL),
    ROW(location, age, "age", NUMBER, 19.5, NEEDED, FINITE),
    ROW(location, monotonic_time, "monotonicTime", NUMBER, -20.5, NEEDED, FINITE),
    ROW(location, sequence, "sequence", INT64, 1234567890123, NEEDED,
        BETWEEN("-9223372036854775808", "9223372036854775807", "-9223372036854775809", "9223372036854775808")),
};
#undef BIT

static const struct row ellipse_rows[] = {
    ROW(error_ellipse, semi_major_axis, "semiMajorAxis", NUMBER, 3.5, NEEDED, NOT_NEGATIVE),
    ROW(error_ellipse, semi_minor_axis, "semiMinorAxis", NUMBER, 2.5, NEEDED, NOT_NEGATIVE),
    ROW(error_ellipse, orientation, "orientation", NUMBER, 45.5, NEEDED, BETWEEN("0", "179.999", "-0.001", "180")),
    ROW(error_ellipse, is_standard_deviation, "isStandardDeviation", BOOLEAN, true, NEEDED),
};

static const struct row source_rows[] = {
    TEXT_ROW(source, name, "name", "roof", NEEDED),
    TEXT_ROW(source, device, "device", "/dev/gnss0", .bit = LOCATIOND_SOURCE_HAS_DEVICE),
    NAME_ROW(source, method, "method", "network", LOCATIOND_METHOD_NETWORK, OPTIONAL),
    ROW(source, is_simulated, "isSimulated", BOOLEAN, true, NEEDED),
    ROW(source, is_replayed, "isReplayed", BOOLEAN, true, NEEDED),
};

#define BIT(name) .bit = LOCATIOND_HEADING_HAS_##name
static const struct row heading_rows[] = {
    ROW(heading, true_heading, "trueHeading", NUMBER, 1.5, BIT(TRUE_HEADING), BETWEEN("0", "359.999", "-0.001", "360")),
    ROW(heading, magnetic_heading, "magneticHeading", NUMBER, 2.5, BIT(MAGNETIC_HEADING), BETWEEN("0", "359.999", "-0.001", "360")),
    ROW(heading, accuracy, "accuracy", NUMBER, 3.5, BIT(ACCURACY), NOT_NEGATIVE),
    ROW(heading, pitch, "pitch", NUMBER, -4.5, BIT(PITCH), BETWEEN("-90", "90", "-90.001", "90.001")),
    ROW(heading, roll, "roll", NUMBER, -5.5, BIT(ROLL), BETWEEN("-180", "180", "-180.001", "180.001")),
    TIME_ROW(heading, timestamp, "timestamp", "1970-01-01T00:00:06Z", 6000, BIT(TIMESTAMP)),
    ROW(heading, age, "age", NUMBER, 7.5, NEEDED, FINITE),
};
#undef BIT

static const struct row satellite_rows[] = {
    TEXT_ROW(satellite, gnss, "gnss", "Galileo", NEEDED),
    ROW(satellite, id, "id", INT32, 12, NEEDED, COUNT("1", "0")),
    ROW(satellite, azimuth, "azimuth", NUMBER, 1.5, .bit = LOCATIOND_SATELLITE_HAS_AZIMUTH, BETWEEN("0", "359.999", "-0.001", "360")),
    ROW(satellite, elevation, "elevation", NUMBER, -2.5, .bit = LOCATIOND_SATELLITE_HAS_ELEVATION,
        BETWEEN("-90", "90", "-90.001", "90.001")),
    ROW(satellite, signal, "signal", NUMBER, 3.5, .bit = LOCATIOND_SATELLITE_HAS_SIGNAL, FINITE),
    ROW(satellite, used, "used", BOOLEAN, true, NEEDED),
};

static const struct row ranked_source_rows[] = {
    TEXT_ROW(ranked_source, name, "name", "mast", NEEDED),
    NAME_ROW(ranked_source, state, "state", "searching", LOCATIOND_SOURCE_SEARCHING, NEEDED),
    TEXT_ROW(ranked_source, reason, "reason", "no view of the sky", .bit = LOCATIOND_RANKED_SOURCE_HAS_REASON),
    ROW(ranked_source, fix_age, "fixAge", NUMBER, 1.5, .bit = LOCATIOND_RANKED_SOURCE_HAS_FIX_AGE, FINITE),
};

#define BIT(name) .bit = LOCATIOND_STATUS_HAS_##name
static const struct row status_rows[] = {
    NAME_ROW(status, authorization, "authorization", "denied", LOCATIOND_AUTHORIZATION_DENIED, NEEDED),
    NAME_ROW(status, accuracy, "accuracy", "reduced", LOCATIOND_ACCURACY_REDUCED, NEEDED),
    ROW(status, enabled, "enabled", BOOLEAN, true, NEEDED),
    NAME_ROW(status, source, "source", "lost", LOCATIOND_SOURCE_LOST, NEEDED),
    TEXT_ROW(status, reason, "reason", "because", BIT(REASON)),
    ROW(status, fix_age, "fixAge", NUMBER, 1.5, BIT(FIX_AGE), FINITE),
    ROW(status, satellites_visible, "satellitesVisible", INT32, 22, BIT(SATELLITES_VISIBLE), COUNT("0", "-1")),
    ROW(status, satellites_used, "satellitesUsed", INT32, 11, BIT(SATELLITES_USED), COUNT("0", "-1")),
    ROW(status, authorization_pending, "authorizationPending", BOOLEAN, true, NEEDED),
    ROW(status, full_accuracy_pending, "fullAccuracyPending", BOOLEAN, true, BIT(FULL_ACCURACY_PENDING)),
    ROW(status, authorization_remaining, "authorizationRemaining", NUMBER, 2.5, BIT(AUTHORIZATION_REMAINING), FINITE),
    ROW(status, stationary, "stationary", BOOLEAN, true, BIT(STATIONARY)),
    ROW(status, paused, "paused", BOOLEAN, true, BIT(PAUSED)),
    ROW(status, heading_available, "headingAvailable", BOOLEAN, true, BIT(HEADING_AVAILABLE)),
    TEXT_ROW(status, source_name, "sourceName", "mast", BIT(SOURCE_NAME)),
};
#undef BIT

static const struct row report_rows[] = {
    TEXT_ROW(region_report, identifier, "identifier", "home", NEEDED),
    NAME_ROW(region_report, state, "state", "outside", LOCATIOND_REGION_OUTSIDE, NEEDED),
    NAME_ROW(region_report, event, "event", "dwelled", LOCATIOND_REGION_EVENT_DWELLED, OPTIONAL),
};

static const struct row visit_rows[] = {
    ROW(visit, latitude, "latitude", NUMBER, -1.5, NEEDED, BETWEEN("-90", "90", "-90.001", "90.001")),
    ROW(visit, longitude, "longitude", NUMBER, 2.5, NEEDED, BETWEEN("-180", "180", "-180.001", "180.001")),
    ROW(visit, horizontal_accuracy, "horizontalAccuracy", NUMBER, 3.5, NEEDED, NOT_NEGATIVE),
    TIME_ROW(visit, arrival, "arrival", "1970-01-01T00:00:04Z", 4000, .bit = LOCATIOND_VISIT_HAS_ARRIVAL),
    TIME_ROW(visit, departure, "departure", "1970-01-01T00:00:05Z", 5000, .bit = LOCATIOND_VISIT_HAS_DEPARTURE),
    ROW(visit, is_present, "isPresent", BOOLEAN, true, NEEDED),
};

#endif
