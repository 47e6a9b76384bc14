// Every option, written from its member: each alone and without its bit, and all at once.
#include <float.h>

#include "request.h"
#include "scripted_daemon.h"

static struct refusal refusal;

static void expect(json_t *parameters, const char *expected) {
    if (parameters == NULL) {
        fprintf(stderr, "refused: %s\n", refusal.sentence);
        exit(1);
    }
    char *text = dump(parameters);
    if (strcmp(text, expected) != 0) {
        fprintf(stderr, "made %s\nnot  %s\n", text, expected);
        exit(1);
    }
    free(text);
    json_decref(parameters);
}

static void expect_refusal(json_t *parameters, const char *words) {
    CHECK(parameters == NULL && refusal.error == LOCATIOND_ERROR_INVALID_ARGUMENT);
    CHECK(strstr(refusal.sentence, words) != NULL);
    refusal = (struct refusal) {0};
}

/// A number or boolean with a bit. Independent of the tables of the library.
struct row {
    const char *member, *name;
    enum field_kind kind;
    size_t offset;
    uint64_t bit;
};

#define ROWS(rows) rows, sizeof(rows) / sizeof *(rows)
#define ROW(type, member, name, kind, bit) {#member, name, kind, offsetof(struct locationd_##type, member), bit}
#define GET(member, name, kind, bit) ROW(get_options, member, name, kind, LOCATIOND_GET_HAS_##bit)
#define WATCH(member, name, kind, bit) ROW(watch_options, member, name, kind, LOCATIOND_WATCH_HAS_##bit)

static const struct row get_rows[] = {
    GET(maximum_age, "maximumAge", FIELD_NUMBER, MAXIMUM_AGE),
    GET(timeout, "timeout", FIELD_NUMBER, TIMEOUT),
    GET(required_accuracy, "requiredAccuracy", FIELD_NUMBER, REQUIRED_ACCURACY),
    GET(passive, "passive", FIELD_BOOLEAN, PASSIVE),
    GET(estimate, "estimate", FIELD_BOOLEAN, ESTIMATE),
};
static const struct row watch_rows[] = {
    WATCH(distance_filter, "distanceFilter", FIELD_NUMBER, DISTANCE_FILTER),
    WATCH(required_accuracy, "requiredAccuracy", FIELD_NUMBER, REQUIRED_ACCURACY),
    WATCH(desired_accuracy, "desiredAccuracy", FIELD_NUMBER, DESIRED_ACCURACY),
    WATCH(minimum_interval, "minimumInterval", FIELD_NUMBER, MINIMUM_INTERVAL),
    WATCH(interval, "interval", FIELD_NUMBER, INTERVAL),
    WATCH(maximum_delay, "maximumDelay", FIELD_NUMBER, MAXIMUM_DELAY),
    WATCH(duration, "duration", FIELD_NUMBER, DURATION),
    WATCH(heading_filter, "headingFilter", FIELD_NUMBER, HEADING_FILTER),
    WATCH(maximum_updates, "maximumUpdates", FIELD_INT64, MAXIMUM_UPDATES),
    WATCH(pauses_automatically, "pausesAutomatically", FIELD_BOOLEAN, PAUSES_AUTOMATICALLY),
    WATCH(location, "location", FIELD_BOOLEAN, LOCATION),
    WATCH(heading, "heading", FIELD_BOOLEAN, HEADING),
    WATCH(satellites, "satellites", FIELD_BOOLEAN, SATELLITES),
    WATCH(passive, "passive", FIELD_BOOLEAN, PASSIVE),
    WATCH(every_source, "everySource", FIELD_BOOLEAN, EVERY_SOURCE),
    WATCH(estimate, "estimate", FIELD_BOOLEAN, ESTIMATE),
    WATCH(reduced_accuracy, "reducedAccuracy", FIELD_BOOLEAN, REDUCED_ACCURACY),
};
static const struct row monitor_rows[] = {
    ROW(monitor_options, visits, "visits", FIELD_BOOLEAN, LOCATIOND_MONITOR_HAS_VISITS),
    ROW(monitor_options, passive, "passive", FIELD_BOOLEAN, LOCATIOND_MONITOR_HAS_PASSIVE),
};
static const struct row significant_change_rows[] = {
    ROW(significant_change, distance, "distance", FIELD_NUMBER, LOCATIOND_SIGNIFICANT_CHANGE_HAS_DISTANCE),
    ROW(significant_change, interval, "interval", FIELD_NUMBER, LOCATIOND_SIGNIFICANT_CHANGE_HAS_INTERVAL),
};
static const struct row region_rows[] = {
    ROW(region, radius, "radius", FIELD_NUMBER, LOCATIOND_REGION_HAS_RADIUS),
    ROW(region, dwell, "dwell", FIELD_NUMBER, LOCATIOND_REGION_HAS_DWELL),
};
static const struct row authorization_rows[] = {
    ROW(authorization_options, full_accuracy, "fullAccuracy", FIELD_BOOLEAN, LOCATIOND_AUTHORIZATION_HAS_FULL_ACCURACY),
};

/// A struct of options, and how it is made to parameters.
union options {
    struct locationd_get_options get;
    struct locationd_watch_options watch;
    struct locationd_monitor_options monitor;
    struct locationd_significant_change significant_change;
    struct locationd_region region;
    struct locationd_authorization_options authorization;
};

static json_t *make_get(union options *options) { return get_parameters(&options->get, &refusal); }
static json_t *make_watch(union options *options) { return watch_parameters(&options->watch, &refusal); }
static json_t *make_monitor(union options *options) { return monitor_parameters(&options->monitor, &refusal); }
static json_t *make_authorization(union options *options) { return authorization_parameters(&options->authorization, &refusal); }

static json_t *make_significant_change(union options *options) {
    struct locationd_monitor_options monitor = LOCATIOND_MONITOR_OPTIONS_INIT;
    options->significant_change.size = sizeof options->significant_change;
    monitor.significant_change = &options->significant_change;
    return monitor_parameters(&monitor, &refusal);
}

static json_t *make_region(union options *options) {
    struct locationd_monitor_options monitor = LOCATIOND_MONITOR_OPTIONS_INIT;
    options->region.identifier = "a";
    monitor.regions = &options->region;
    monitor.region_count = 1;
    return monitor_parameters(&monitor, &refusal);
}

static const struct {
    const struct row *rows;
    size_t count, present;
    json_t *(*make)(union options *options);
    const char *expected; ///< With the option in place of `%s`.
} structs[] = {
    {ROWS(get_rows), offsetof(struct locationd_get_options, present), make_get, "{%s}"},
    {ROWS(watch_rows), offsetof(struct locationd_watch_options, present), make_watch, "{%s}"},
    {ROWS(monitor_rows), offsetof(struct locationd_monitor_options, present), make_monitor, "{%s}"},
    {ROWS(significant_change_rows), offsetof(struct locationd_significant_change, present), make_significant_change,
     "{\"significantChange\":{%s}}"},
    {&region_rows[0], 1, offsetof(struct locationd_region, present), make_region, "{\"regions\":[{\"identifier\":\"a\",%s}]}"},
    {&region_rows[1], 1, offsetof(struct locationd_region, present), make_region, "{\"regions\":[{%s,\"identifier\":\"a\"}]}"},
    {ROWS(authorization_rows), offsetof(struct locationd_authorization_options, present), make_authorization,
     "{%s,\"level\":\"whenInUse\"}"},
};

static void each_is_sent_alone_and_not_without_its_bit(void) {
    for (size_t index = 0; index < sizeof structs / sizeof *structs; index++) {
        for (size_t number = 0; number < structs[index].count; number++) {
            const struct row *row = &structs[index].rows[number];
            union options options = {0};
            char member[64], expected[200];
            double real = (double)number + 1.5;
            int64_t integer = (int64_t)number + 1;
            bool boolean = true;
            if (row->kind == FIELD_NUMBER) {
                memcpy((char *)&options + row->offset, &real, sizeof real);
                snprintf(member, sizeof member, "\"%s\":%d.5", row->name, (int)number + 1);
            } else if (row->kind == FIELD_INT64) {
                memcpy((char *)&options + row->offset, &integer, sizeof integer);
                snprintf(member, sizeof member, "\"%s\":%d", row->name, (int)number + 1);
            } else {
                memcpy((char *)&options + row->offset, &boolean, sizeof boolean);
                snprintf(member, sizeof member, "\"%s\":true", row->name);
            }
            expect_refusal(structs[index].make(&options), row->member);
            memcpy((char *)&options + structs[index].present, &row->bit, sizeof row->bit);
            const char *mark = strstr(structs[index].expected, "%s");
            snprintf(expected, sizeof expected, "%.*s%s%s", (int)(mark - structs[index].expected), structs[index].expected, member,
                     mark + 2);
            expect(structs[index].make(&options), expected);
        }
    }
}

static void texts_and_enumerations_are_sent(void) {
    struct locationd_watch_options watch = LOCATIOND_WATCH_OPTIONS_INIT;
    watch.activity_type = LOCATIOND_ACTIVITY_TYPE_FITNESS;
    watch.purpose = "tides";
    expect(watch_parameters(&watch, &refusal), "{\"activityType\":\"fitness\",\"purpose\":\"tides\"}");
    struct locationd_authorization_options authorization = LOCATIOND_AUTHORIZATION_OPTIONS_INIT;
    authorization.level = LOCATIOND_LEVEL_ALWAYS;
    authorization.purpose = "tides";
    authorization.program = "sailor";
    authorization.present = LOCATIOND_AUTHORIZATION_HAS_TIMEOUT;
    authorization.timeout = 3;
    expect(authorization_parameters(&authorization, &refusal), "{\"level\":\"always\",\"program\":\"sailor\",\"purpose\":\"tides\"}");
    struct locationd_monitor_options monitor = LOCATIOND_MONITOR_OPTIONS_INIT;
    struct locationd_region none = {0};
    monitor.name = "car";
    monitor.purpose = "tides";
    monitor.regions = &none;
    expect(monitor_parameters(&monitor, &refusal), "{\"name\":\"car\",\"purpose\":\"tides\",\"regions\":[]}");
    expect(name_parameters("car", &refusal), "{\"name\":\"car\"}");
}

/// A region of a program whose struct is larger, as this library does not know it.
struct later_region {
    struct locationd_region known;
    uint64_t later[3];
};

static void regions_of_any_size_are_sent(void) {
    struct locationd_coordinate corners[] = {{1.5, 2.5}, {3.5, 4.5}, {5.5, 6.5}};
    struct later_region regions[] = {
        {.known = {.present = LOCATIOND_REGION_HAS_CENTER | LOCATIOND_REGION_HAS_RADIUS | LOCATIOND_REGION_HAS_DWELL, .identifier = "a",
                   .center = {7.5, 8.5}, .radius = 9.5, .dwell = 60.5}},
        {.known = {.identifier = "b", .polygon = corners, .polygon_count = 3}},
    };
    static const char both[] = "[{\"center\":{\"latitude\":7.5,\"longitude\":8.5},\"dwell\":60.5,\"identifier\":\"a\",\"radius\":9.5},"
        "{\"identifier\":\"b\",\"polygon\":[{\"latitude\":1.5,\"longitude\":2.5},{\"latitude\":3.5,\"longitude\":4.5},"
        "{\"latitude\":5.5,\"longitude\":6.5}]}]";
    char expected[500];
    struct locationd_monitor_options monitor = LOCATIOND_MONITOR_OPTIONS_INIT;
    monitor.region_size = sizeof *regions;
    monitor.regions = &regions[0].known;
    monitor.region_count = 2;
    snprintf(expected, sizeof expected, "{\"regions\":%s}", both);
    expect(monitor_parameters(&monitor, &refusal), expected);
    struct locationd_region_changes changes = LOCATIOND_REGION_CHANGES_INIT;
    const char *removed[] = {"c", "d"};
    changes.region_size = sizeof *regions;
    changes.name = "car";
    changes.add = &regions[0].known;
    changes.add_count = 2;
    changes.remove = removed;
    changes.remove_count = 2;
    snprintf(expected, sizeof expected, "{\"add\":%s,\"name\":\"car\",\"remove\":[\"c\",\"d\"]}", both);
    expect(region_change_parameters(&changes, &refusal), expected);
    regions[1].later[2] = 1;
    expect_refusal(region_change_parameters(&changes, &refusal), "does not know");
    // One of an earlier program ends before the polygon.
    char earlier[2 * offsetof(struct locationd_region, polygon)];
    memcpy(earlier, &regions[0].known, sizeof earlier / 2);
    memcpy(earlier + sizeof earlier / 2, &regions[0].known, sizeof earlier / 2);
    struct locationd_region aligned[2];
    memcpy(aligned, earlier, sizeof earlier);
    monitor.region_size = sizeof earlier / 2;
    monitor.regions = aligned;
    json_t *parameters = monitor_parameters(&monitor, &refusal);
    const json_t *last = json_array_get(json_object_get(parameters, "regions"), 1);
    CHECK(json_real_value(json_object_get(last, "dwell")) == 60.5 && json_object_get(last, "polygon") == NULL);
    json_decref(parameters);
}

static void what_is_reserved_is_refused(void) {
    struct locationd_get_options options = LOCATIOND_GET_OPTIONS_INIT;
    for (size_t index = 0; index < sizeof options.reserved; index++) {
        memset(options.reserved, 0, sizeof options.reserved);
        options.reserved[index] = 1;
        expect_refusal(get_parameters(&options, &refusal), "`reserved` is not zero");
    }
}

static void coordinates_have_seven_decimals(void) {
    struct locationd_coordinate corners[] = {{52.51702155512345, -13.388888888888}, {-90, 180}, {0.1, -0.00000001}};
    struct locationd_region region = {.identifier = "a", .polygon = corners, .polygon_count = 3};
    struct locationd_monitor_options monitor = LOCATIOND_MONITOR_OPTIONS_INIT;
    struct buffer buffer = {0};
    monitor.regions = &region;
    monitor.region_count = 1;
    json_t *parameters = monitor_parameters(&monitor, &refusal);
    CHECK(parameters != NULL && message_encode(parameters, &buffer));
    CHECK(strcmp(buffer.bytes, "{\"regions\":[{\"identifier\":\"a\",\"polygon\":[{\"latitude\":52.5170216,\"longitude\":-13.3888889},"
                 "{\"latitude\":-90.0,\"longitude\":180.0},{\"latitude\":0.1,\"longitude\":0.0}]}]}") == 0);
    json_decref(parameters);
    // Nonsense is left to the daemon.
    corners[0].latitude = 1e308;
    buffer.length = 0;
    parameters = monitor_parameters(&monitor, &refusal);
    CHECK(parameters != NULL && message_encode(parameters, &buffer) && strstr(buffer.bytes, "1e308") != NULL);
    json_decref(parameters);
    // The largest number stays one.
    struct locationd_watch_options watch = LOCATIOND_WATCH_OPTIONS_INIT;
    watch.present = LOCATIOND_WATCH_HAS_DISTANCE_FILTER;
    watch.distance_filter = DBL_MAX;
    buffer.length = 0;
    parameters = watch_parameters(&watch, &refusal);
    CHECK(message_encode(parameters, &buffer) && strcmp(buffer.bytes, "{\"distanceFilter\":1.79769313486231e308}") == 0);
    json_decref(parameters);
    buffer_free(&buffer);
}

int main(void) {
    use_test_locale();
    each_is_sent_alone_and_not_without_its_bit();
    texts_and_enumerations_are_sent();
    regions_of_any_size_are_sent();
    what_is_reserved_is_refused();
    coordinates_have_seven_decimals();
    puts("options: passed");
    return 0;
}
