// Single calls and monitors, against a scripted daemon in a thread of its own.
#include <float.h>
#include <math.h>

#include "call_fixture.h"

static void get_sends_options_and_gives_location(void) {
    setup();
    struct locationd_location here;
    struct locationd_get_options options = LOCATIOND_GET_OPTIONS_INIT;
    options.present = LOCATIOND_GET_HAS_TIMEOUT | LOCATIOND_GET_HAS_MAXIMUM_AGE | LOCATIOND_GET_HAS_PASSIVE;
    options.timeout = 0.1;
    options.passive = true;
    play(false, LAST(LOCATION("4", "9")), NULL);
    CHECK(locationd_get(handle, &options, &here, sizeof here) == 0 && here.sequence == 4 && locationd_best(handle) == NULL);
    expect_call("{\"method\":\"org.locationd.location.GetLocation\",\"parameters\":{\"maximumAge\":0.0,\"passive\":true,"
                "\"timeout\":0.10000000000000001}}");
    // A program of a time when the struct was smaller gets no more than it knows.
    memset(&here, 0x55, sizeof here);
    play(false, LAST(LOCATION("4", "9")), NULL);
    CHECK(locationd_get(handle, NULL, &here, offsetof(struct locationd_location, altitude)) == 0);
    unsigned char after;
    memcpy(&after, (const char *)&here + offsetof(struct locationd_location, altitude), 1);
    CHECK(here.latitude == 52.5 && after == 0x55);
    end_call();
    // One of a later time gets zeros.
    struct { struct locationd_location known; uint64_t later[4]; } later;
    memset(&later, 0x55, sizeof later);
    play(false, LAST(LOCATION("4", "9")), NULL);
    CHECK(locationd_get(handle, NULL, &later.known, sizeof later) == 0 && later.later[0] == 0 && later.later[3] == 0);
    end_call();
    teardown();
}

static void errors_of_get(void) {
    static const struct { const char *reply; int error; const char *words; } cases[] = {
        {ERROR("org.locationd.location.NotAuthorized", "\"authorization\":\"denied\",\"reason\":\"ask root\""),
         LOCATIOND_ERROR_NOT_AUTHORIZED, "not authorized: ask root"},
        {ERROR("org.locationd.location.Disabled", ""), LOCATIOND_ERROR_DISABLED, "sudo locctl start"},
        {ERROR("org.varlink.service.InvalidParameter", "\"parameter\":\"requiredAccuracy\""), LOCATIOND_ERROR_INVALID_PARAMETER,
         "accept required_accuracy;"},
        {ERROR("org.varlink.service.InvalidParameter", "\"parameter\":\"request\",\"reason\":\"at most 65536 bytes\""),
         LOCATIOND_ERROR_INVALID_PARAMETER, "raise request-size"},
        // Details that are broken, or of another error, do not hide the error.
        {ERROR("org.locationd.location.NotAuthorized", "\"reason\":\"x\",\"best\":" LOCATION_BODY("1", "3", "1")),
         LOCATIOND_ERROR_NOT_AUTHORIZED, "not authorized: x"},
        {ERROR("org.locationd.location.NotAuthorized", "\"reason\":\"x\",\"best\":7"), LOCATIOND_ERROR_NOT_AUTHORIZED, "not authorized: x"},
        {ERROR("org.locationd.location.TimedOut", "\"best\":" LOCATION_BODY("999", "3", "1")), LOCATIOND_ERROR_TIMED_OUT, "in time"},
        {ERROR("org.locationd.location.LocationUnavailable", "\"reason\":\"r\",\"best\":[]"), LOCATIOND_ERROR_LOCATION_UNAVAILABLE, ": r"},
        {"{\"error\":\"org.locationd.location.Disabled\",\"parameters\":7}", LOCATIOND_ERROR_DISABLED, "sudo locctl start"},
        {ERROR("org.varlink.service.PermissionDenied", ""), LOCATIOND_ERROR_PERMISSION_DENIED, "does not permit"},
        {ERROR("org.varlink.service.MethodNotFound", "\"method\":\"X\""), LOCATIOND_ERROR_NOT_SUPPORTED, "the method X"},
        {"{\"error\":7}", LOCATIOND_ERROR_OTHER, "without a name"},
        {LAST(""), LOCATIOND_ERROR_UNREACHABLE, "`location` is missing"},
        {"{}", LOCATIOND_ERROR_UNREACHABLE, "`location` is missing"},
        {"no", LOCATIOND_ERROR_UNREACHABLE, "unreadable"},
        {LAST("\"location\":" LOCATION_BODY("1e999", "1", "1")), LOCATIOND_ERROR_UNREACHABLE, "`latitude` is no finite number"},
        {NULL, LOCATIOND_ERROR_UNREACHABLE, "closed the connection"},
    };
    setup();
    struct locationd_location here = {.sequence = 77};
    for (size_t index = 0; index < sizeof cases / sizeof *cases; index++) {
        play(true, cases[index].reply, NULL);
        CHECK(locationd_get(handle, NULL, &here, sizeof here) == cases[index].error);
        CHECK(strstr(locationd_error_message(handle), cases[index].words) != NULL && here.sequence == 77);
        CHECK(locationd_best(handle) == NULL && locationd_strerror(cases[index].error)[0] != 'u');
        end_call();
    }
    play(true, ERROR("org.locationd.location.TimedOut", "\"best\":" LOCATION_BODY("1", "3", "1")), NULL);
    CHECK(locationd_get(handle, NULL, &here, sizeof here) == LOCATIOND_ERROR_TIMED_OUT && locationd_best(handle)->sequence == 3);
    end_call();
    play(true, ERROR("org.locationd.location.LocationUnavailable", "\"reason\":\"no receiver\",\"best\":null"), NULL);
    CHECK(locationd_get(handle, NULL, &here, sizeof here) == LOCATIOND_ERROR_LOCATION_UNAVAILABLE && locationd_best(handle) == NULL);
    CHECK(strcmp(locationd_error_message(handle), "no location is available: no receiver") == 0);
    end_call();
    teardown();
}

static void unreachable_says_why(void) {
    setup();
    struct locationd_status status;
    daemon_end(&service);
    CHECK(locationd_status(handle, &status, sizeof status) == LOCATIOND_ERROR_UNREACHABLE);
    CHECK(strstr(locationd_error_message(handle), "there is no socket at") != NULL);
    daemon_listen(&service, 1);
    close(service.listener);
    service.listener = -1;
    CHECK(locationd_status(handle, &status, sizeof status) == LOCATIOND_ERROR_UNREACHABLE);
    CHECK(strstr(locationd_error_message(handle), "nothing listens at") != NULL);
    handle->session.timing.silence = 20 * SESSION_MILLISECOND;
    handle->session.timing.full_delay = SESSION_MILLISECOND;
    daemon_listen(&service, 0);
    struct connection other;
    connection_init(&other);
    CHECK(connection_open(&other, service.path) == 0);
    CHECK(locationd_status(handle, &status, sizeof status) == LOCATIOND_ERROR_UNREACHABLE);
    CHECK(strstr(locationd_error_message(handle), "accepts no connections") != NULL);
    connection_free(&other);
    close(accept(service.listener, NULL, NULL));
    // It takes the call and is silent.
    CHECK(locationd_status(handle, &status, sizeof status) == LOCATIOND_ERROR_UNREACHABLE);
    CHECK(strstr(locationd_error_message(handle), "does not answer") != NULL);
    teardown();
}

static void status_has_all_sources(void) {
    setup();
    struct locationd_status status;
    play(false, LAST("\"status\":{\"accuracy\":\"reduced\",\"authorization\":\"denied\",\"authorizationPending\":true,\"enabled\":false,"
        "\"source\":\"lost\",\"sources\":[{\"name\":\"a\",\"state\":\"tracking\",\"fixAge\":1.5},{\"name\":\"b\",\"state\":\"asleep\","
        "\"reason\":\"r\"}],\"compasses\":[]}"), NULL);
    CHECK(locationd_status(handle, &status, sizeof status) == 0 && status.connected && !status.enabled);
    CHECK(status.source_count == 2 && status.sources[0]->fix_age == 1.5 && status.sources[0]->state == LOCATIOND_SOURCE_TRACKING);
    CHECK(status.sources[1]->state == LOCATIOND_SOURCE_UNKNOWN && strcmp(status.sources[1]->reason, "r") == 0);
    CHECK(status.compass_count == 0 && (status.present & LOCATIOND_STATUS_HAS_COMPASSES) != 0);
    expect_call("{\"method\":\"org.locationd.location.GetStatus\",\"parameters\":{}}");
    teardown();
}

static void monitor_is_resumed_by_name(void) {
    setup();
    handle->session.timing.first_delay = SESSION_MILLISECOND;
    struct locationd_update update;
    struct locationd_coordinate corners[] = {{1, 2}, {1, 3}, {2.5, 3}};
    struct locationd_region regions[] = {
        {.identifier = "home", .present = LOCATIOND_REGION_HAS_CENTER | LOCATIOND_REGION_HAS_RADIUS, .center = {52.5, 13}, .radius = 100},
        {.identifier = "field", .polygon = corners, .polygon_count = 3, .present = LOCATIOND_REGION_HAS_DWELL, .dwell = 60},
    };
    struct locationd_significant_change change = LOCATIOND_SIGNIFICANT_CHANGE_INIT;
    struct locationd_monitor_options options = LOCATIOND_MONITOR_OPTIONS_INIT;
    options.name = "car";
    options.regions = regions;
    options.region_count = 2;
    options.significant_change = &change;
    options.present = LOCATIOND_MONITOR_HAS_VISITS | LOCATIOND_MONITOR_HAS_PASSIVE;
    options.visits = true;
    CHECK(locationd_monitor(handle, &options) == 0);
    json_t *call = connect_and_accept(handle, &service);
    char *text = dump(json_object_get(call, "parameters"));
    CHECK(strcmp(text, "{\"library\":\"" LIBRARY_NAME "\",\"name\":\"car\",\"passive\":false,\"regions\":[{\"center\":{\"latitude\":52.5,"
        "\"longitude\":13.0},\"identifier\":\"home\",\"radius\":100.0},{\"dwell\":60.0,\"identifier\":\"field\",\"polygon\":["
        "{\"latitude\":1.0,\"longitude\":2.0},{\"latitude\":1.0,\"longitude\":3.0},{\"latitude\":2.5,\"longitude\":3.0}]}],"
        "\"significantChange\":{},\"visits\":true}") == 0);
    free(text);
    json_decref(call);
    daemon_send(&service, MORE(STATUS));
    daemon_send(&service, MORE("\"region\":{\"identifier\":\"home\",\"state\":\"inside\",\"event\":\"entered\"," LOCATION("1", "1") "}"));
    daemon_send(&service, MORE("\"region\":{\"identifier\":\"field\",\"state\":\"unknown\"}"));
    daemon_send(&service, MORE("\"visit\":{\"latitude\":1,\"longitude\":2,\"horizontalAccuracy\":3,\"isPresent\":true,"
                               "\"arrival\":\"1970-01-01T00:00:01Z\"}"));
    NEXT(handle, &update, STATUS);
    NEXT(handle, &update, REGION);
    CHECK(update.region->state == LOCATIOND_REGION_INSIDE && update.region->event == LOCATIOND_REGION_EVENT_ENTERED);
    CHECK(update.region->location->sequence == 1);
    NEXT(handle, &update, REGION);
    CHECK(update.region->state == LOCATIOND_REGION_UNKNOWN && update.region->location == NULL && update.region->present == 0);
    NEXT(handle, &update, VISIT);
    CHECK(update.visit->is_present && update.visit->arrival == 1000 && update.visit->present == LOCATIOND_VISIT_HAS_ARRIVAL);
    daemon_drop(&service);
    NEXT(handle, &update, STATUS);
    call = connect_and_accept(handle, &service);
    text = dump(json_object_get(call, "parameters"));
    CHECK(strcmp(text, "{\"library\":\"" LIBRARY_NAME "\",\"name\":\"car\",\"passive\":false}") == 0);
    free(text);
    json_decref(call);
    daemon_send(&service, ERROR("org.locationd.location.NoSuchMonitor", "\"name\":\"car\""));
    CHECK(next_by_poll(handle, &update) == LOCATIOND_ERROR_NO_SUCH_MONITOR);
    CHECK(strstr(locationd_error_message(handle), "no monitor named car") != NULL);
    teardown();
}

static void regions_are_changed_and_monitors_removed(void) {
    setup();
    struct locationd_region_changes changes = LOCATIOND_REGION_CHANGES_INIT;
    const char *removed[] = {"a", "b"};
    changes.name = "car";
    changes.remove = removed;
    changes.remove_count = 2;
    play(false, "{}", NULL);
    CHECK(locationd_change_regions(handle, &changes) == 0);
    expect_call("{\"method\":\"org.locationd.location.ChangeRegions\",\"parameters\":{\"name\":\"car\",\"remove\":[\"a\",\"b\"]}}");
    play(false, ERROR("org.locationd.location.NoSuchMonitor", "\"name\":\"boat\""), NULL);
    CHECK(locationd_remove_monitor(handle, "boat") == LOCATIOND_ERROR_NO_SUCH_MONITOR);
    expect_call("{\"method\":\"org.locationd.location.RemoveMonitor\",\"parameters\":{\"name\":\"boat\"}}");
    teardown();
}

static void wrong_arguments_are_refused(void) {
    CHECK(locationd_open(&handle, "/tmp/x") == 0);
    struct locationd_location here;
    struct locationd_get_options get = LOCATIOND_GET_OPTIONS_INIT;
    struct locationd_watch_options watch = LOCATIOND_WATCH_OPTIONS_INIT;
    struct { struct locationd_get_options known; uint64_t later; } later = {{.size = sizeof later}, 1};
    get.timeout = 3;
    CHECK(locationd_get(handle, &get, &here, sizeof here) == LOCATIOND_ERROR_INVALID_ARGUMENT);
    CHECK(strcmp(locationd_error_message(handle), "timeout is set without its bit in `present`") == 0);
    get.present = LOCATIOND_GET_HAS_TIMEOUT;
    get.timeout = NAN;
    CHECK(locationd_get(handle, &get, &here, sizeof here) == LOCATIOND_ERROR_INVALID_ARGUMENT);
    get.present = UINT64_C(1) << 60;
    get.timeout = 0;
    CHECK(locationd_get(handle, &get, &here, sizeof here) == LOCATIOND_ERROR_INVALID_ARGUMENT);
    CHECK(locationd_get(handle, &later.known, &here, sizeof here) == LOCATIOND_ERROR_INVALID_ARGUMENT);
    later.later = 0;
    CHECK(locationd_get(handle, &later.known, &here, sizeof here) == LOCATIOND_ERROR_UNREACHABLE);
    CHECK(locationd_get(handle, NULL, NULL, 0) == LOCATIOND_ERROR_INVALID_ARGUMENT);
    get.size = 0;
    CHECK(locationd_get(handle, &get, &here, sizeof here) == LOCATIOND_ERROR_INVALID_ARGUMENT);
    watch.purpose = "\xFF";
    CHECK(locationd_watch(handle, &watch) == LOCATIOND_ERROR_INVALID_ARGUMENT);
    watch.purpose = NULL;
    watch.activity_type = (enum locationd_activity_type)9;
    CHECK(locationd_watch(handle, &watch) == LOCATIOND_ERROR_INVALID_ARGUMENT);
    watch.activity_type = LOCATIOND_ACTIVITY_TYPE_UNKNOWN;
    watch.present = LOCATIOND_WATCH_HAS_MAXIMUM_UPDATES;
    CHECK(locationd_watch(handle, &watch) == LOCATIOND_ERROR_INVALID_ARGUMENT);
    CHECK(locationd_remove_monitor(handle, NULL) == LOCATIOND_ERROR_INVALID_ARGUMENT);
    locationd_close(handle);
    char path[200];
    memset(path, 'x', sizeof path);
    path[sizeof path - 1] = '\0';
    CHECK(locationd_open(&handle, path) == LOCATIOND_ERROR_INVALID_ARGUMENT && handle == NULL);
    CHECK(locationd_open(&handle, "") == LOCATIOND_ERROR_INVALID_ARGUMENT && handle == NULL);
    locationd_close(NULL);
    CHECK(*locationd_error_message(NULL) == '\0');
    CHECK(setenv("LOCATIOND_SOCKET", "/tmp/elsewhere", 1) == 0 && locationd_open(&handle, NULL) == 0);
    CHECK(strcmp(handle->path, "/tmp/elsewhere") == 0);
    locationd_close(handle);
    CHECK(setenv("LOCATIOND_SOCKET", "", 1) == 0 && locationd_open(&handle, NULL) == 0);
    CHECK(strcmp(handle->path, "/run/locationd/locationd.sock") == 0);
    locationd_close(handle);
}

int main(void) {
    use_test_locale();
    get_sends_options_and_gives_location();
    errors_of_get();
    unreachable_says_why();
    status_has_all_sources();
    monitor_is_resumed_by_name();
    regions_are_changed_and_monitors_removed();
    wrong_arguments_are_refused();
    puts("calls: passed");
    return 0;
}
