// A watch over its whole life, by a poll loop, against a scripted daemon
#include <sys/timerfd.h>

#include "watch_fixture.h"

static void call_names_library_and_options(void) {
    setup(true);
    struct locationd_watch_options options = LOCATIOND_WATCH_OPTIONS_INIT;
    options.present = LOCATIOND_WATCH_HAS_DISTANCE_FILTER | LOCATIOND_WATCH_HAS_LOCATION | LOCATIOND_WATCH_HAS_MAXIMUM_UPDATES;
    options.distance_filter = 2.5;
    options.maximum_updates = 3;
    options.activity_type = LOCATIOND_ACTIVITY_TYPE_AUTOMOTIVE_NAVIGATION;
    options.purpose = "tide t\xC3\xA4" "bles";
    CHECK(locationd_watch(handle, &options) == 0);
    CHECK(locationd_watch(handle, &options) == LOCATIOND_ERROR_BUSY);
    json_t *call = connect_and_accept(handle, &service);
    char *text = dump(call);
    CHECK(strcmp(text, "{\"method\":\"org.locationd.location.Watch\",\"more\":true,\"parameters\":{"
                 "\"activityType\":\"automotiveNavigation\",\"distanceFilter\":2.5,\"library\":\"" LIBRARY_NAME "\",\"location\":false,"
                 "\"maximumUpdates\":3,\"purpose\":\"tide t\xC3\xA4" "bles\"}}") == 0);
    free(text);
    json_decref(call);
    teardown();
}

static void first_reply_gives_status_then_location(void) {
    setup(true);
    CHECK(locationd_watch(handle, NULL) == 0);
    json_decref(connect_and_accept(handle, &service));
    CHECK(!is_readable(handle));
    daemon_send(&service, MORE(STATUS "," LOCATION("5", "100.25") ",\"dropped\":2,\"later\":{\"a\":[1e999]}"));
    NEXT(handle, &update, STATUS);
    CHECK(update.status->connected && update.status->authorization == LOCATIOND_AUTHORIZATION_AUTHORIZED_ALWAYS);
    // The rest of the reply is there although nothing more arrives.
    CHECK(is_readable(handle));
    NEXT(handle, &update, LOCATION);
    CHECK(update.location->sequence == 5 && update.location->latitude == 52.5 && update.location->monotonic_time == 100.25);
    CHECK(update.location->present == 0 && update.location->source.method == LOCATIOND_METHOD_UNKNOWN);
    CHECK(strcmp(update.location->source.name, "gps") == 0 && update.status == NULL);
    CHECK(locationd_process(handle, &update, sizeof update) == 0 && update.kind == LOCATIOND_UPDATE_NONE);
    CHECK(!is_readable(handle) && locationd_dropped(handle) == 2);
    teardown();
}

static void absent_socket_is_an_outage(void) {
    setup(false);
    CHECK(locationd_watch(handle, NULL) == 0);
    int descriptor = locationd_fd(handle);
    expect_outage("there is no socket at /tmp/liblocationd.");
    CHECK(update.status->authorization == LOCATIOND_AUTHORIZATION_UNKNOWN && update.status->enabled);
    // Attempts go on in silence.
    for (int count = 0; count < 5; count++) {
        struct pollfd entry = {.fd = descriptor, .events = POLLIN};
        CHECK(poll(&entry, 1, patience_ms) == 1 && locationd_process(handle, &update, sizeof update) == 0);
    }
    daemon_listen(&service, 16);
    json_decref(connect_and_accept(handle, &service));
    daemon_send(&service, MORE(STATUS));
    NEXT(handle, &update, STATUS);
    CHECK(update.status->connected && locationd_fd(handle) == descriptor);
    teardown();
}

static void restart_gives_one_outage_and_no_location_twice(void) {
    start_watch();
    daemon_send(&service, MORE(LOCATION("8", "10") ",\"dropped\":1"));
    NEXT(handle, &update, LOCATION);
    daemon_end(&service);
    expect_outage("locationd closed the connection");
    CHECK(update.status->authorization == LOCATIOND_AUTHORIZATION_AUTHORIZED_ALWAYS);
    daemon_listen(&service, 16);
    json_decref(connect_and_accept(handle, &service));
    daemon_send(&service, MORE(STATUS "," LOCATION("8", "10")));
    daemon_send(&service, MORE(LOCATION("7", "9")));
    daemon_send(&service, MORE(LOCATION("9", "11") ",\"dropped\":4"));
    NEXT(handle, &update, STATUS);
    NEXT(handle, &update, LOCATION);
    CHECK(update.location->sequence == 9 && locationd_dropped(handle) == 5);
    // Lost state: smaller numbers of newer fixes.
    daemon_send(&service, MORE(LOCATION("1", "12")));
    NEXT(handle, &update, LOCATION);
    CHECK(update.location->sequence == 1);
    teardown();
}

static void announced_stop_is_no_outage_if_the_daemon_is_back(void) {
    start_watch();
    daemon_send(&service, LAST(STOPPING));
    NEXT(handle, &update, STATUS);
    CHECK(update.status->connected && strcmp(update.status->reason, "stopping") == 0);
    json_decref(connect_and_accept(handle, &service));
    daemon_send(&service, LAST(STOPPING));
    NEXT(handle, &update, STATUS);
    daemon_end(&service);
    expect_outage("there is no socket");
    teardown();
}

static void silence_is_an_outage_before_the_first_reply_alone(void) {
    setup(true);
    handle->session.timing.silence = 20 * SESSION_MILLISECOND;
    CHECK(locationd_watch(handle, NULL) == 0);
    json_decref(connect_and_accept(handle, &service));
    expect_outage("does not answer");
    json_decref(connect_and_accept(handle, &service));
    daemon_send(&service, MORE(STATUS));
    NEXT(handle, &update, STATUS);
    CHECK(handle->session.deadline == SESSION_NEVER && handle->armed == 0);
    teardown();
}

static void late_program_finds_no_silence(void) {
    setup(true);
    handle->session.timing.silence = 20 * SESSION_MILLISECOND;
    CHECK(locationd_watch(handle, NULL) == 0);
    json_decref(connect_and_accept(handle, &service));
    daemon_send(&service, MORE(STATUS));
    // The reply was there in time; the program comes after the deadline.
    while (monotonic_now() < handle->session.deadline) {
        poll(NULL, 0, 1);
    }
    NEXT(handle, &update, STATUS);
    CHECK(update.status->connected);
    teardown();
}

static void full_daemon_is_waited_for(void) {
    daemon_init(&service);
    daemon_listen(&service, 0);
    struct connection first, second;
    connection_init(&first);
    connection_init(&second);
    CHECK(connection_open(&first, service.path) == 0 && connection_open(&second, service.path) == EAGAIN);
    open_handle();
    CHECK(locationd_watch(handle, NULL) == 0);
    for (int count = 0; count < 3; count++) {
        struct pollfd entry = {.fd = locationd_fd(handle), .events = POLLIN};
        CHECK(poll(&entry, 1, patience_ms) == 1 && locationd_process(handle, &update, sizeof update) == 0);
    }
    close(accept(service.listener, NULL, NULL));
    while (handle->session.state == SESSION_WAITING) {
        struct pollfd entry = {.fd = locationd_fd(handle), .events = POLLIN};
        CHECK(poll(&entry, 1, patience_ms) == 1 && locationd_process(handle, &update, sizeof update) == 0);
    }
    json_decref(daemon_accept(&service));
    connection_free(&first);
    teardown();
}

static json_int_t accept_and_count(void) {
    json_t *call = connect_and_accept(handle, &service);
    json_int_t maximum = json_integer_value(parameter(call, "maximumUpdates"));
    json_decref(call);
    return maximum;
}

static void maximum_counts_over_outages(void) {
    setup(true);
    struct locationd_watch_options options = LOCATIOND_WATCH_OPTIONS_INIT;
    options.present = LOCATIOND_WATCH_HAS_MAXIMUM_UPDATES;
    options.maximum_updates = 3;
    CHECK(locationd_watch(handle, &options) == 0 && accept_and_count() == 3);
    daemon_send(&service, MORE(STATUS "," LOCATION("1", "1")));
    NEXT(handle, &update, STATUS);
    NEXT(handle, &update, LOCATION);
    daemon_drop(&service);
    expect_outage("closed the connection");
    CHECK(accept_and_count() == 2);
    // The daemon counts one that was given out before: it is called for what is left.
    daemon_send(&service, MORE(STATUS "," LOCATION("1", "1")));
    daemon_send(&service, LAST(LOCATION("2", "2")));
    NEXT(handle, &update, STATUS);
    NEXT(handle, &update, LOCATION);
    CHECK(accept_and_count() == 1);
    daemon_send(&service, LAST(STATUS "," LOCATION("3", "3")));
    NEXT(handle, &update, STATUS);
    NEXT(handle, &update, LOCATION);
    CHECK(update.location->sequence == 3 && is_readable(handle));
    CHECK(next_by_poll(handle, &update) == LOCATIOND_ERROR_ENDED && !is_readable(handle));
    CHECK(locationd_next(handle, &update, sizeof update, 0) == LOCATIOND_ERROR_ENDED);
    teardown();
}

static void duration_is_the_end(void) {
    setup(true);
    struct locationd_watch_options options = LOCATIOND_WATCH_OPTIONS_INIT;
    options.present = LOCATIOND_WATCH_HAS_DURATION;
    options.duration = 0.5;
    CHECK(locationd_watch(handle, &options) == 0);
    json_decref(connect_and_accept(handle, &service));
    daemon_send(&service, MORE(STATUS));
    NEXT(handle, &update, STATUS);
    daemon_send(&service, LAST("\"status\":{\"accuracy\":\"full\",\"authorization\":\"denied\",\"authorizationPending\":false,"
                               "\"enabled\":true,\"source\":\"stopped\",\"reason\":\"duration\"}"));
    NEXT(handle, &update, STATUS);
    CHECK(next_by_poll(handle, &update) == LOCATIOND_ERROR_ENDED);
    teardown();
}

static void unexplained_end_is_an_outage(void) {
    start_watch();
    daemon_send(&service, "{}");
    expect_outage("has ended the call");
    json_decref(connect_and_accept(handle, &service));
    teardown();
}

static void stop_leaves_nothing_due(void) {
    setup(false);
    handle->session.timing.first_delay = 2 * SESSION_MILLISECOND;
    CHECK(locationd_watch(handle, NULL) == 0);
    expect_outage("there is no socket");
    CHECK(locationd_process(handle, &update, sizeof update) == 0 && locationd_stop(handle) == 0);
    struct itimerspec timer;
    CHECK(timerfd_gettime(handle->timer, &timer) == 0 && timer.it_value.tv_sec == 0 && timer.it_value.tv_nsec == 0);
    struct pollfd entry = {.fd = locationd_fd(handle), .events = POLLIN};
    CHECK(poll(&entry, 1, 20) == 0);
    teardown();
}

static void stop_discards_what_waits(void) {
    setup(true);
    CHECK(locationd_watch(handle, NULL) == 0);
    json_decref(connect_and_accept(handle, &service));
    daemon_send(&service, MORE(STATUS "," LOCATION("8", "10")));
    NEXT(handle, &update, STATUS);
    CHECK(locationd_stop(handle) == 0);
    CHECK(locationd_process(handle, &update, sizeof update) == LOCATIOND_ERROR_NOT_WATCHING);
    // The first update of the next watch is its own.
    CHECK(locationd_watch(handle, NULL) == 0);
    json_decref(connect_and_accept(handle, &service));
    daemon_send(&service, MORE(STATUS));
    NEXT(handle, &update, STATUS);
    CHECK(!is_readable(handle));
    teardown();
}

int main(void) {
    use_test_locale();
    call_names_library_and_options();
    first_reply_gives_status_then_location();
    absent_socket_is_an_outage();
    restart_gives_one_outage_and_no_location_twice();
    announced_stop_is_no_outage_if_the_daemon_is_back();
    silence_is_an_outage_before_the_first_reply_alone();
    late_program_finds_no_silence();
    full_daemon_is_waited_for();
    maximum_counts_over_outages();
    duration_is_the_end();
    unexplained_end_is_an_outage();
    stop_leaves_nothing_due();
    stop_discards_what_waits();
    puts("handle: passed");
    return 0;
}
