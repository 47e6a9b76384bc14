// The parts without I/O: texts, times, numbers, the session's state machine.
#include <float.h>
#include <math.h>

#include "scripted_daemon.h"
#include "text.h"

static void texts_are_cut_between_characters(void) {
    char array[8];
    text_copy(array, sizeof array, "1234567");
    CHECK(strcmp(array, "1234567") == 0);
    text_copy(array, sizeof array, "12345678");
    CHECK(strcmp(array, "1234567") == 0);
    text_copy(array, sizeof array, "123456\xC3\xA4");
    CHECK(strcmp(array, "123456") == 0);
    text_copy(array, sizeof array, "1234\xF0\x9F\x9B\xB0");
    CHECK(strcmp(array, "1234") == 0);
    text_copy(array, sizeof array, "\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC");
    CHECK(strcmp(array, "\xE2\x82\xAC\xE2\x82\xAC") == 0);
    static char large[3000], sentence[3000];
    memset(large, 'a', 2046);
    strcpy(large + 2046, "\xC3\xA4");
    text_format(sentence, sizeof sentence, "%s", large);
    CHECK(strlen(sentence) == 2046);
}

static void names_of_the_interface_are_spelled_as_in_the_header(void) {
    char array[20];
    text_copy_snake_case(array, sizeof array, "requiredAccuracy");
    CHECK(strcmp(array, "required_accuracy") == 0);
    text_copy_snake_case(array, sizeof array, "regions[0].radius");
    CHECK(strcmp(array, "regions[0].radius") == 0);
    text_copy_snake_case(array, sizeof array, "pausesAutomaticallyAnd");
    CHECK(strcmp(array, "pauses_automaticall") == 0);
    static char large[2000], copy[2000];
    memset(large, 'A', sizeof large - 1);
    text_copy_snake_case(copy, sizeof copy, large);
    CHECK(strncmp(copy, "_a_a", 4) == 0 && strlen(copy) < sizeof copy);
}

static void times_are_read(void) {
    int64_t time;
    CHECK(text_read_time("1970-01-01T00:00:00Z", &time) && time == 0);
    CHECK(text_read_time("2026-11-28T06:34:47.721Z", &time) && time == INT64_C(1795847687721));
    CHECK(text_read_time("2024-02-29T23:59:60.1234567Z", &time) && time == INT64_C(1709251200123));
    CHECK(text_read_time("2000-03-01T01:00:00+01:00", &time) && time == INT64_C(951868800000));
    CHECK(text_read_time("0000-01-01T00:00:00Z", &time) && time == INT64_C(-62167219200000));
    CHECK(text_read_time("9999-12-31T23:59:59Z", &time) && time == INT64_C(253402300799000));
    const char *wrong[] = {"", "2026", "2026-13-01T00:00:00Z", "2026-11-28T06:34:47", "2026-11-28T06:34:47.Z", "2026-11-28T06:34:47Zx",
                           "2026-11-28T24:00:00Z", "2026-00-28T06:34:47Z", "+026-11-28T06:34:47Z", "2026-11-28T06:34:47+0100"};
    for (size_t index = 0; index < sizeof wrong / sizeof *wrong; index++) {
        CHECK(!text_read_time(wrong[index], &time));
    }
}

static bool decodes(const char *message) {
    struct buffer scratch = {0};
    const char *problem = "";
    json_t *tree = message_decode(message, strlen(message), &scratch, &problem);
    json_decref(tree);
    buffer_free(&scratch);
    return tree != NULL;
}

static double number_of(const char *literal) {
    struct buffer scratch = {0};
    const char *problem;
    char message[200];
    double number = -1;
    snprintf(message, sizeof message, "{\"a\":[%s ]}", literal);
    json_t *tree = message_decode(message, strlen(message), &scratch, &problem);
    CHECK(tree != NULL);
    bool is_number = message_number(json_array_get(json_object_get(tree, "a"), 0), &number);
    json_decref(tree);
    buffer_free(&scratch);
    return is_number ? number : NAN;
}

static void numbers_are_those_of_json(void) {
    CHECK(number_of("0") == 0 && number_of("-0.0") == 0 && number_of("12") == 12 && number_of("52.517021555") == 52.517021555);
    CHECK(number_of("1e3") == 1000 && number_of("-1.5E-1") == -0.15 && number_of("1E+2") == 100 && number_of("1e-999") == 0);
    CHECK(number_of("123456789012345678901234567890") == 123456789012345678901234567890.0);
    CHECK(number_of("1.7976931348623157e308") == DBL_MAX);
    CHECK(isnan(number_of("1e999")) && isnan(number_of("-1e999")) && isnan(number_of("\"1.5\"")) && isnan(number_of("true")));
    const char *wrong[] = {"01", "1.", ".5", "-", "+1", "1e", "1e+", "1.e5", "0x10", "NaN", "Infinity", "-Infinity", "1.5.5", "--1", "1 2"};
    for (size_t index = 0; index < sizeof wrong / sizeof *wrong; index++) {
        char message[64];
        snprintf(message, sizeof message, "{\"a\":%s}", wrong[index]);
        CHECK(!decodes(message));
    }
}

static void integers_have_64_bits(void) {
    struct buffer scratch = {0};
    const char *problem, *message = "{\"a\":9223372036854775807,\"b\":-9223372036854775808,\"c\":9223372036854775808,\"d\":3.0,\"e\":7}";
    json_t *tree = message_decode(message, strlen(message), &scratch, &problem);
    int64_t integer;
    CHECK(message_integer(json_object_get(tree, "a"), &integer) && integer == INT64_MAX);
    CHECK(message_integer(json_object_get(tree, "b"), &integer) && integer == INT64_MIN);
    CHECK(!message_integer(json_object_get(tree, "c"), &integer));
    CHECK(!message_integer(json_object_get(tree, "d"), &integer));
    CHECK(message_integer(json_object_get(tree, "e"), &integer) && integer == 7);
    json_decref(tree);
    buffer_free(&scratch);
}

static void messages_are_objects_in_utf8(void) {
    CHECK(decodes("{}") && decodes(" {\"\\u00e4\":\"\xC3\xA4 \\\\u0000 \\\" 1.5\"} "));
    CHECK(!decodes("") && !decodes("[]") && !decodes("{} {}") && !decodes("{\"a\":\"\xC3\"}") && !decodes("{\"a\":\"\xFF\"}"));
    // Nothing that the daemon says can be taken for a number, or ends a text early.
    CHECK(!decodes("{\"a\":\"\\u00001.5\"}") && !decodes("{\"a\":\"x\\u0000\"}") && !decodes("{\"\\u0000\":1}") && !decodes("{1.5:1}"));
    CHECK(!decodes("{\"a\":\"\\ud800\"}") && !decodes("{\"a") && !decodes("{\"a\":\"\\"));
    char deep[200] = "{\"a\":";
    memset(deep + 5, '[', 40);
    memset(deep + 45, ']', 40);
    strcpy(deep + 85, "}");
    CHECK(!decodes(deep));
}

/// An object with a list that has so many values, itself and the object among them.
static bool decodes_values(int count) {
    static char message[2 * value_limit + 100] = "{\"a\":[0";
    size_t length = strlen("{\"a\":[0");
    for (int index = 2; index < count; index++) {
        length += (size_t)sprintf(message + length, ",0");
    }
    strcpy(message + length, "]}");
    return decodes(message);
}

static void messages_have_a_limit_of_values(void) {
    CHECK(decodes_values(value_limit) && !decodes_values(value_limit + 1));
    // Commas in texts separate nothing.
    static char text[2 * value_limit] = "{\"a\":\"";
    memset(text + 6, ',', sizeof text - 9);
    strcpy(text + sizeof text - 3, "\"}");
    CHECK(decodes(text));
}

static double drawn = 1;
static double draw(void) { return drawn; }

static void delays_double_up_to_ten_seconds(void) {
    struct session session = {.timing = session_standard_timing};
    session.timing.draw = draw;
    int64_t now = 1000 * SESSION_MILLISECOND, delays[] = {250, 500, 1000, 2000, 4000, 8000, 10000, 10000};
    session_start(&session, now, 0);
    CHECK(session.state == SESSION_WAITING && session_is_due(&session, now));
    for (size_t index = 0; index < sizeof delays / sizeof *delays; index++) {
        // One status per outage, not per attempt.
        CHECK(session_lost(&session, now) == (index == 0));
        CHECK(session.deadline == now + delays[index] * SESSION_MILLISECOND);
        struct session other = session;
        drawn = 0.5;
        other.delay = delays[index] * SESSION_MILLISECOND;
        CHECK(!session_lost(&other, now) && other.deadline == now + delays[index] * 750000);
        drawn = 1;
        CHECK(!session_is_due(&session, session.deadline - 1) && session_is_due(&session, session.deadline));
        now = session.deadline;
    }
    session_connected(&session, now);
    CHECK(session.deadline == now + 10000 * SESSION_MILLISECOND);
    session_replied(&session);
    CHECK(session.deadline == SESSION_NEVER && session.state == SESSION_STREAMING);
    // All clients lose a daemon that restarts at once, and come back over more than a second.
    struct session other = session;
    CHECK(session_lost(&session, now) && session.deadline == now + 1500 * SESSION_MILLISECOND);
    CHECK(!session_lost(&session, now) && session.deadline == now + 250 * SESSION_MILLISECOND);
    drawn = 0;
    CHECK(session_lost(&other, now) && other.deadline == now + 250 * SESSION_MILLISECOND);
    double share = session_standard_timing.draw();
    CHECK(share >= 0 && share < 1 && share != session_standard_timing.draw());
    drawn = 1;
}

static void announced_stop_is_reported_if_the_next_attempt_fails(void) {
    struct session session = {.timing = session_standard_timing};
    session.timing.draw = draw;
    session_start(&session, 0, 0);
    session_connected(&session, 0);
    session_replied(&session);
    session_suspended(&session, 0);
    CHECK(session.deadline == 1500 * SESSION_MILLISECOND);
    CHECK(session_lost(&session, session.deadline) && !session_lost(&session, session.deadline));
}

static void full_daemon_is_tried_for_ten_seconds(void) {
    struct session session = {.timing = session_standard_timing};
    session_start(&session, 0, 0);
    int64_t now = 0;
    int count = 0;
    while (session_retry(&session, now)) {
        CHECK(session.state == SESSION_WAITING && session.deadline == now + 50 * SESSION_MILLISECOND);
        now = session.deadline;
        count++;
    }
    CHECK(count == 200 && session_lost(&session, now));
}

static void no_location_twice(void) {
    struct session session = {.timing = session_standard_timing};
    struct locationd_location location = {.sequence = 7, .monotonic_time = 100};
    session_start(&session, 0, 3);
    CHECK(session_accepts(&session, &location) && session.remaining == 2);
    CHECK(!session_accepts(&session, &location) && session.remaining == 2);
    location.sequence = 6;
    CHECK(!session_accepts(&session, &location));
    // A daemon that has lost its state counts anew.
    location = (struct locationd_location) {.sequence = 1, .monotonic_time = 101};
    CHECK(session_accepts(&session, &location) && session.state != SESSION_ENDED);
    location = (struct locationd_location) {.sequence = 2, .monotonic_time = 102};
    CHECK(session_accepts(&session, &location) && session.state == SESSION_ENDED);
}

int main(void) {
    use_test_locale();
    texts_are_cut_between_characters();
    names_of_the_interface_are_spelled_as_in_the_header();
    times_are_read();
    numbers_are_those_of_json();
    integers_have_64_bits();
    messages_are_objects_in_utf8();
    messages_have_a_limit_of_values();
    delays_double_up_to_ten_seconds();
    announced_stop_is_reported_if_the_next_attempt_fails();
    full_daemon_is_tried_for_ten_seconds();
    no_location_twice();
    puts("parts: passed");
    return 0;
}
