// What a daemon may send to a watch: in pieces, unreadable, of a later version, and errors.
#include "watch_fixture.h"

static void messages_in_pieces_and_together(void) {
    start_watch();
    const char *message = MORE(LOCATION("1", "1"));
    for (size_t index = 0; index < strlen(message); index++) {
        daemon_send_bytes(&service, message + index, 1);
        CHECK(locationd_process(handle, &update, sizeof update) == 0);
    }
    static const char together[] = "\0" MORE(LOCATION("2", "2")) "\0" MORE(LOCATION("3", "3")) "\0" MORE(STATUS);
    daemon_send_bytes(&service, together, sizeof together);
    for (int64_t sequence = 1; sequence <= 3; sequence++) {
        NEXT(handle, &update, LOCATION);
        CHECK(update.location->sequence == sequence);
    }
    NEXT(handle, &update, STATUS);
    CHECK(!is_readable(handle));
    teardown();
}

static void unreadable_replies_are_outages(void) {
    static const struct { const char *reply, *words; } cases[] = {
        {MORE("\"location\":" LOCATION_BODY("1e999", "1", "1")), "`latitude` is no finite number"},
        {MORE("\"location\":" LOCATION_BODY("90.1", "1", "1")), "`latitude` is out of range"},
        {MORE("\"location\":" LOCATION_BODY("NaN", "1", "1")), "no JSON"},
        {MORE("\"location\":" LOCATION_BODY("\"1\"", "1", "1")), "`latitude` is no finite number"},
        {MORE("\"location\":" LOCATION_BODY("1", "1.5", "1")), "`sequence` is no integer"},
        {MORE("\"location\":" LOCATION_BODY("null", "1", "1")), "`latitude` is missing"},
        {MORE("\"location\":[]"), "`location` is no object"},
        {MORE("\"status\":{\"enabled\":true}"), "`authorization` is missing"},
        {MORE("\"heading\":{\"age\":1,\"trueHeading\":360}"), "`trueHeading` is out of range"},
        {MORE("\"heading\":{\"age\":1,\"timestamp\":\"yesterday\"}"), "`timestamp` is no time"},
        {MORE("\"satellites\":[1]"), "`satellites` has an element that is no object"},
        {MORE("\"satellites\":[{\"gnss\":\"GPS\",\"id\":0,\"used\":true}]"), "`id` is out of range"},
        {MORE("\"dropped\":-1"), "`dropped` is out of range"},
        {"{\"parameters\":[]}", "`parameters` is no object"},
        {"{\"parameters\":{},\"continues\":1}", "`continues` is no boolean"},
        {"[]", "no object"}, {"{", "no JSON"}, {"", "no JSON"}, {"{\"a\":\"\xFF\"}", "no JSON"}, {"{\"a\":\"\\u0000\"}", "NUL"},
    };
    start_watch();
    for (size_t index = 0; index < sizeof cases / sizeof *cases; index++) {
        daemon_send(&service, cases[index].reply);
        expect_outage(cases[index].words);
        CHECK(strstr(update.status->reason, "unreadable") != NULL);
        json_decref(connect_and_accept(handle, &service));
        daemon_send(&service, MORE(STATUS));
        NEXT(handle, &update, STATUS);
    }
    teardown();
}

/// Sends a reply with a list of so many times the element.
static void send_list(const char *before, const char *element, const char *after, int count) {
    static char reply[1 << 16];
    int length = snprintf(reply, sizeof reply, "{\"continues\":true,\"parameters\":{%s", before);
    for (int index = 0; index < count; index++) {
        length += snprintf(reply + length, sizeof reply - (size_t)length, index == 0 ? "%s" : ",%s", element);
    }
    CHECK(snprintf(reply + length, sizeof reply - (size_t)length, "%s}}", after) < (int)sizeof reply - length);
    daemon_send(&service, reply);
}

static void lists_have_a_limit(void) {
    static const char satellite[] = "{\"gnss\":\"GPS\",\"id\":1,\"used\":true}", source[] = "{\"name\":\"a\",\"state\":\"lost\"}";
    static const char status[] = "\"status\":{\"accuracy\":\"full\",\"authorization\":\"denied\",\"authorizationPending\":false,"
        "\"enabled\":true,\"source\":\"lost\",\"%s\":[";
    static const char *const names[] = {"sources", "compasses"};
    start_watch();
    send_list("\"satellites\":[", satellite, "]", 1024);
    NEXT(handle, &update, SATELLITES);
    CHECK(update.satellite_count == 1024 && update.satellites[1023]->used);
    send_list("\"satellites\":[", satellite, "]", 1025);
    expect_outage("`satellites` has too many elements");
    for (size_t index = 0; index < 2; index++) {
        char before[200], words[100];
        snprintf(before, sizeof before, status, names[index]);
        snprintf(words, sizeof words, "`%s` has too many elements", names[index]);
        json_decref(connect_and_accept(handle, &service));
        send_list(before, source, "]}", 256);
        NEXT(handle, &update, STATUS);
        CHECK((index == 0 ? update.status->source_count : update.status->compass_count) == 256);
        send_list(before, source, "]}", 257);
        expect_outage(words);
    }
    teardown();
}

static void values_of_a_later_daemon_are_unknown(void) {
    start_watch();
    daemon_send(&service, MORE("\"location\":{\"latitude\":-90,\"longitude\":180,\"mode\":\"fourDimensional\",\"basis\":\"dreamt\","
        "\"age\":0,\"monotonicTime\":-5.5,\"sequence\":1,\"altitude\":null,\"course\":359.9,\"new\":1.5,\"timestamp\":"
        "\"2026-11-28T06:34:47.721Z\",\"source\":{\"name\":\"n\",\"isSimulated\":true,\"isReplayed\":false,\"method\":\"oracle\"}},"
        "\"weather\":{\"sun\":true}"));
    NEXT(handle, &update, LOCATION);
    const struct locationd_location *location = update.location;
    CHECK(location->mode == LOCATIOND_MODE_UNKNOWN && location->basis == LOCATIOND_BASIS_UNKNOWN);
    CHECK(location->source.method == LOCATIOND_METHOD_UNKNOWN && location->source.is_simulated);
    CHECK(location->present == (LOCATIOND_LOCATION_HAS_COURSE | LOCATIOND_LOCATION_HAS_TIMESTAMP));
    CHECK(location->timestamp == INT64_C(1795847687721) && location->altitude == 0);
    daemon_send(&service, MORE("\"weather\":{\"sun\":true}"));
    daemon_send(&service, MORE("\"satellites\":[]"));
    NEXT(handle, &update, SATELLITES);
    CHECK(update.satellite_count == 0);
    teardown();
}

static void temporary_errors_are_outages_and_others_the_end(void) {
    start_watch();
    daemon_send(&service, ERROR("org.locationd.location.TooManyClients", "\"limit\":128"));
    expect_outage("the limit is 128");
    json_decref(connect_and_accept(handle, &service));
    // The same outage: nothing more is said.
    daemon_send(&service, ERROR("org.locationd.location.TooManyRequests", "\"limit\":50"));
    json_decref(connect_and_accept(handle, &service));
    daemon_send(&service, ERROR("org.varlink.service.InvalidParameter", "\"parameter\":\"interval\""));
    for (int count = 0; count < 3; count++) {
        CHECK((count == 0 ? next_by_poll(handle, &update) : locationd_process(handle, &update, sizeof update))
              == LOCATIOND_ERROR_INVALID_PARAMETER);
        CHECK(strstr(locationd_error_message(handle), "does not accept interval") != NULL && !is_readable(handle));
    }
    CHECK(locationd_next(handle, &update, sizeof update, -1) == LOCATIOND_ERROR_INVALID_PARAMETER);
    CHECK(locationd_stop(handle) == 0 && locationd_next(handle, &update, sizeof update, -1) == LOCATIOND_ERROR_NOT_WATCHING);
    CHECK(locationd_watch(handle, NULL) == 0);
    json_decref(connect_and_accept(handle, &service));
    daemon_send(&service, ERROR("org.locationd.location.Unheard", "\"reason\":\"because\""));
    CHECK(next_by_poll(handle, &update) == LOCATIOND_ERROR_OTHER);
    CHECK(strcmp(locationd_error_message(handle), "locationd refuses: org.locationd.location.Unheard: because") == 0);
    teardown();
}

static void older_daemon_is_called_without_library(void) {
    setup(true);
    CHECK(locationd_watch(handle, NULL) == 0);
    json_t *call = connect_and_accept(handle, &service);
    CHECK(parameter(call, "library") != NULL);
    json_decref(call);
    daemon_send(&service, ERROR("org.varlink.service.InvalidParameter", "\"parameter\":\"library\""));
    CHECK(locationd_process(handle, &update, sizeof update) == 0);
    call = daemon_read_call(&service);
    CHECK(parameter(call, "library") == NULL);
    json_decref(call);
    daemon_send(&service, ERROR("org.varlink.service.InvalidParameter", "\"parameter\":\"library\""));
    CHECK(next_by_poll(handle, &update) == LOCATIOND_ERROR_INVALID_PARAMETER);
    teardown();
}

int main(void) {
    use_test_locale();
    messages_in_pieces_and_together();
    unreadable_replies_are_outages();
    lists_have_a_limit();
    values_of_a_later_daemon_are_unknown();
    temporary_errors_are_outages_and_others_the_end();
    older_daemon_is_called_without_library();
    puts("replies: passed");
    return 0;
}
