// Every field of the interface, read to its member: all of an object at once, each alone, and at the borders of its range.
#include "updates.h"
#include "value_rows.h"
#include "watch_fixture.h"

static const void *find_location(void) { return &handle->location.value; }
static const void *find_source(void) { return &handle->location.value.source; }
static const void *find_ellipse(void) { return &handle->location.value.error_ellipse; }
static const void *find_heading(void) { return &handle->heading.value; }
static const void *find_satellite(void) { return handle->satellites.pointers[1]; }
static const void *find_status(void) { return &handle->status.status.value; }
static const void *find_ranked(void) { return handle->status.sources.pointers[1]; }
static const void *find_compass(void) { return handle->status.compasses.pointers[1]; }
static const void *find_report(void) { return &handle->region.value; }
static const void *find_visit(void) { return &handle->visit.value; }

#define NEEDED_BY_LOCATION "\"latitude\":1,\"longitude\":2,\"mode\":\"twoDimensional\",\"age\":3,\"monotonicTime\":4,\"sequence\":5,"
#define SOURCE "\"source\":{\"name\":\"gps\",\"isSimulated\":false,\"isReplayed\":false},"
#define NEEDED_BY_STATUS "\"accuracy\":\"full\",\"authorization\":\"restricted\",\"authorizationPending\":false,\"enabled\":false," \
    "\"source\":\"stopped\","
#define OTHER_SOURCE "{\"name\":\"a\",\"state\":\"lost\"}"
#define ROWS(rows) rows, sizeof(rows) / sizeof *(rows)

/// An object of replies: what stands before and after its fields, and where it is read to. In a list it is the second one.
static const struct object {
    const struct row *rows;
    size_t count;
    const char *before, *after;
    const void *(*find)(void);
    bool has_present; ///< As its first member.
} objects[] = {
    {ROWS(location_rows), "\"location\":{" SOURCE, "}", find_location, true},
    {ROWS(source_rows), "\"location\":{" NEEDED_BY_LOCATION "\"source\":{", "}}", find_source, true},
    {ROWS(ellipse_rows), "\"location\":{" NEEDED_BY_LOCATION SOURCE "\"errorEllipse\":{", "}}", find_ellipse, false},
    {ROWS(heading_rows), "\"heading\":{", "}", find_heading, true},
    {ROWS(satellite_rows), "\"satellites\":[{\"gnss\":\"GPS\",\"id\":1,\"used\":false},{", "}]", find_satellite, true},
    {ROWS(status_rows), "\"status\":{", "}", find_status, true},
    {ROWS(ranked_source_rows), "\"status\":{" NEEDED_BY_STATUS "\"sources\":[" OTHER_SOURCE ",{", "}]}", find_ranked, true},
    {ROWS(ranked_source_rows), "\"status\":{" NEEDED_BY_STATUS "\"compasses\":[" OTHER_SOURCE ",{", "}]}", find_compass, true},
    {ROWS(report_rows), "\"region\":{", "}", find_report, true},
    {ROWS(visit_rows), "\"visit\":{", "}", find_visit, true},
};

/// What is sent of an object: all fields, or the required ones and `one`, but not `missing`; `one` may have another value.
struct choice {
    bool has_all;
    const struct row *one, *missing;
    const char *json;
};

static bool is_chosen(const struct choice *choice, const struct row *row) {
    return row != choice->missing && (choice->has_all || row->is_required || row == choice->one);
}

/// The parameters of a reply.
static const char *write_reply(const struct object *object, const struct choice *choice) {
    static char text[4096];
    int length = snprintf(text, sizeof text, "%s\"later\":[1]", object->before);
    for (size_t index = 0; index < object->count; index++) {
        const struct row *row = &object->rows[index];
        if (is_chosen(choice, row)) {
            const char *json = row == choice->one && choice->json != NULL ? choice->json : row->json;
            length += snprintf(text + length, sizeof text - (size_t)length, ",\"%s\":%s", row->name, json);
        }
    }
    CHECK((size_t)length + strlen(object->after) < sizeof text);
    strcpy(text + length, object->after);
    return text;
}

static bool member_is(const struct row *row, const void *object, double number, const char *expected) {
    const char *place = (const char *)object + row->offset;
    double real;
    int64_t large;
    int32_t small;
    switch (row->kind) {
    case TEXT: return strcmp(place, expected) == 0;
    case BOOLEAN: return *(const bool *)place == (number != 0);
    case NUMBER: memcpy(&real, place, sizeof real); return real == number;
    case INT64: memcpy(&large, place, sizeof large); return large == (int64_t)number;
    case INT32:
    case NAME: memcpy(&small, place, sizeof small); return small == (int32_t)number;
    }
    return false;
}

/// Every member has its value if it was sent, and is zero if not; nothing but the bits of what was sent is present.
static void check_object(const struct object *object, const struct choice *choice) {
    uint64_t bits = 0, present = 0;
    for (size_t index = 0; index < object->count; index++) {
        const struct row *row = &object->rows[index];
        bool is_sent = is_chosen(choice, row);
        bits |= is_sent ? row->bit : 0;
        if (!member_is(row, object->find(), is_sent ? row->number : 0, is_sent && row->text != NULL ? row->text : "")) {
            fprintf(stderr, "%s of %s is wrong in %s\n", row->name, object->before, write_reply(object, choice));
            exit(1);
        }
    }
    if (object->has_present) {
        memcpy(&present, object->find(), sizeof present);
    }
    if (present != bits) {
        fprintf(stderr, "`present` is %llx, not %llx, of %s\n", (unsigned long long)present, (unsigned long long)bits,
                write_reply(object, choice));
        exit(1);
    }
}

/// Whether a reply is readable, without a connection.
static bool is_readable_reply(const struct object *object, const struct choice *choice) {
    char text[5000];
    const char *problem;
    struct reading reading = {0};
    snprintf(text, sizeof text, "{%s}", write_reply(object, choice));
    json_t *tree = message_decode(text, strlen(text), &handle->scratch, &problem);
    CHECK(tree != NULL);
    CHECK(read_updates(handle, &reading, tree) != 0 || reading.has_failed);
    json_decref(tree);
    return !reading.has_failed;
}

static void every_field_is_read_from_the_socket(const struct object *object) {
    char reply[5000];
    const struct choice all = {.has_all = true};
    start_watch();
    snprintf(reply, sizeof reply, MORE("%s"), write_reply(object, &all));
    daemon_send(&service, reply);
    CHECK(next_by_poll(handle, &update) == 1);
    CHECK(update.kind != LOCATIOND_UPDATE_STATUS || update.status->connected);
    check_object(object, &all);
    teardown();
}

static void each_field_is_read_alone(const struct object *object) {
    for (size_t index = 0; index < object->count; index++) {
        const struct row *row = &object->rows[index];
        const struct choice alone = {.one = row}, without = {.has_all = true, .missing = row};
        CHECK(is_readable_reply(object, &alone));
        check_object(object, &alone);
        CHECK(is_readable_reply(object, &without) == !row->is_required);
        if (!row->is_required) {
            check_object(object, &without);
        }
    }
}

static void ranges_are_those_of_the_header(const struct object *object) {
    for (size_t index = 0; index < object->count; index++) {
        const struct row *row = &object->rows[index];
        for (int side = 0; side < 2 && row->borders[side] != NULL; side++) {
            const struct choice border = {.one = row, .json = row->borders[side]}, beyond = {.one = row, .json = row->beyond[side]};
            if (!is_readable_reply(object, &border) || is_readable_reply(object, &beyond)) {
                fprintf(stderr, "the border %s of %s is elsewhere\n", row->borders[side], row->name);
                exit(1);
            }
        }
    }
}

static void lists_and_parts_have_bits(void) {
    start_watch();
    daemon_send(&service, MORE("\"status\":{" NEEDED_BY_STATUS "\"sources\":[]},"
        "\"location\":{" NEEDED_BY_LOCATION SOURCE "\"errorEllipse\":{\"semiMajorAxis\":1,\"semiMinorAxis\":1,\"orientation\":1,"
        "\"isStandardDeviation\":false}},\"region\":{\"identifier\":\"a\",\"state\":\"inside\",\"location\":{" NEEDED_BY_LOCATION SOURCE
        "\"hdop\":1}}"));
    NEXT(handle, &update, STATUS);
    CHECK(update.status->present == LOCATIOND_STATUS_HAS_SOURCES);
    NEXT(handle, &update, REGION);
    CHECK(update.region->present == LOCATIOND_REGION_REPORT_HAS_LOCATION);
    CHECK(update.region->location->present == LOCATIOND_LOCATION_HAS_HDOP && update.region->location->hdop == 1);
    NEXT(handle, &update, LOCATION);
    CHECK(update.location->present == LOCATIOND_LOCATION_HAS_ERROR_ELLIPSE);
    daemon_send(&service, MORE("\"status\":{" NEEDED_BY_STATUS "\"compasses\":[]}"));
    NEXT(handle, &update, STATUS);
    CHECK(update.status->present == LOCATIOND_STATUS_HAS_COMPASSES && update.status->sources == NULL);
    teardown();
}

int main(void) {
    use_test_locale();
    for (size_t index = 0; index < sizeof objects / sizeof *objects; index++) {
        every_field_is_read_from_the_socket(&objects[index]);
        CHECK(locationd_open(&handle, "/nowhere") == 0);
        each_field_is_read_alone(&objects[index]);
        ranges_are_those_of_the_header(&objects[index]);
        locationd_close(handle);
    }
    lists_and_parts_have_bits();
    puts("values: passed");
    return 0;
}
