// The request for authorization: its decision, its timeout, and a daemon that does neither answer nor stop.
#include "call_fixture.h"

#define PENDING "\"status\":{\"accuracy\":\"full\",\"authorization\":\"notDetermined\",\"authorizationPending\":true," \
    "\"enabled\":true,\"source\":\"stopped\"}"

static void authorization_is_waited_for(void) {
    setup();
    struct locationd_status status = {.satellites_used = 77};
    struct locationd_authorization_options options = LOCATIOND_AUTHORIZATION_OPTIONS_INIT;
    play(true, MORE(PENDING), LAST(STATUS));
    CHECK(locationd_request_authorization(handle, NULL, &status, sizeof status) == 0);
    CHECK(status.authorization == LOCATIOND_AUTHORIZATION_AUTHORIZED_ALWAYS);
    expect_call("{\"method\":\"org.locationd.location.RequestAuthorization\",\"more\":true,\"parameters\":{\"level\":\"whenInUse\"}}");
    status.satellites_used = 77;
    // A daemon that stops has decided nothing.
    play(true, MORE(PENDING), LAST(STOPPING));
    CHECK(locationd_request_authorization(handle, NULL, &status, sizeof status) == LOCATIOND_ERROR_UNREACHABLE);
    CHECK(strstr(locationd_error_message(handle), "before the decision") != NULL && status.satellites_used == 77);
    end_call();
    play(true, MORE(PENDING), NULL);
    CHECK(locationd_request_authorization(handle, NULL, &status, sizeof status) == LOCATIOND_ERROR_UNREACHABLE);
    CHECK(status.satellites_used == 77);
    end_call();
    options.level = LOCATIOND_LEVEL_ALWAYS;
    options.program = "tides";
    options.present = LOCATIOND_AUTHORIZATION_HAS_TIMEOUT | LOCATIOND_AUTHORIZATION_HAS_FULL_ACCURACY;
    options.full_accuracy = true;
    options.timeout = 0.02;
    play(false, MORE(PENDING), NULL);
    CHECK(locationd_request_authorization(handle, &options, &status, sizeof status) == LOCATIOND_ERROR_TIMED_OUT);
    CHECK(status.authorization_pending && status.satellites_used == 0);
    end_call();
    options.timeout = 0;
    play(false, LAST(PENDING), NULL);
    CHECK(locationd_request_authorization(handle, &options, &status, sizeof status) == LOCATIOND_ERROR_TIMED_OUT);
    expect_call("{\"method\":\"org.locationd.location.RequestAuthorization\",\"parameters\":{\"fullAccuracy\":true,\"level\":\"always\","
                "\"program\":\"tides\"}}");
    teardown();
}

/// Lets the daemon that is behind in accepting take the call 200 milliseconds later, and be silent then.
static void *accept_late(void *unused) {
    (void)unused;
    poll(NULL, 0, 200);
    close(accept(service.listener, NULL, NULL));
    return NULL;
}

static void connect_and_first_reply_have_one_deadline(void) {
    struct locationd_status status;
    struct locationd_authorization_options options = LOCATIOND_AUTHORIZATION_OPTIONS_INIT;
    options.present = LOCATIOND_AUTHORIZATION_HAS_TIMEOUT;
    int64_t shortest = SESSION_NEVER;
    // 500 milliseconds or more if there were two. A busy machine may take as long with one, but not each time.
    for (int attempt = 0; attempt < 100 && shortest >= 450 * SESSION_MILLISECOND; attempt++) {
        daemon_init(&service);
        daemon_listen(&service, 0);
        struct connection other;
        connection_init(&other);
        CHECK(connection_open(&other, service.path) == 0 && locationd_open(&handle, service.path) == 0);
        handle->session.timing.silence = 300 * SESSION_MILLISECOND;
        handle->session.timing.full_delay = SESSION_MILLISECOND;
        CHECK(pthread_create(&thread, NULL, accept_late, NULL) == 0);
        int64_t start = monotonic_now();
        CHECK(locationd_request_authorization(handle, &options, &status, sizeof status) == LOCATIOND_ERROR_UNREACHABLE);
        int64_t took = monotonic_now() - start;
        CHECK(took >= 300 * SESSION_MILLISECOND);
        shortest = took < shortest ? took : shortest;
        end_call();
        connection_free(&other);
        teardown();
    }
    CHECK(shortest < 450 * SESSION_MILLISECOND);
}

/// Sends more states than are read at once, and ends.
static void *send_many_states(void *unused) {
    static char states[150000];
    static const char state[] = MORE(PENDING);
    size_t length = 0;
    (void)unused;
    while (length + sizeof state <= sizeof states) {
        memcpy(states + length, state, sizeof state);
        length += sizeof state;
    }
    script.call = daemon_accept(&service);
    send(service.connection, states, length, MSG_NOSIGNAL);
    daemon_drop(&service);
    return NULL;
}

static void many_states_do_not_keep_the_program(void) {
    struct locationd_status status;
    struct locationd_authorization_options options = LOCATIOND_AUTHORIZATION_OPTIONS_INIT;
    options.present = LOCATIOND_AUTHORIZATION_HAS_TIMEOUT;
    // Over when the first state has come.
    options.timeout = 1e-9;
    // Who reads on comes to the end of the connection, unless it is faster than the daemon; not each time.
    for (int round = 0; round < 20; round++) {
        setup();
        CHECK(pthread_create(&thread, NULL, send_many_states, NULL) == 0);
        CHECK(locationd_request_authorization(handle, &options, &status, sizeof status) == LOCATIOND_ERROR_TIMED_OUT);
        CHECK(status.authorization_pending);
        end_call();
        teardown();
    }
}

/// Both in one piece, so that they are read together.
static void *send_state_and_decision(void *unused) {
    static const char both[] = MORE(PENDING) "\0" LAST(STATUS);
    (void)unused;
    script.call = daemon_accept(&service);
    daemon_send_bytes(&service, both, sizeof both);
    char byte;
    while (read(service.connection, &byte, 1) > 0) {
    }
    daemon_drop(&service);
    return NULL;
}

static void decision_that_was_read_counts_after_the_timeout(void) {
    setup();
    struct locationd_status status;
    struct locationd_authorization_options options = LOCATIOND_AUTHORIZATION_OPTIONS_INIT;
    options.present = LOCATIOND_AUTHORIZATION_HAS_TIMEOUT;
    options.timeout = 1e-9;
    CHECK(pthread_create(&thread, NULL, send_state_and_decision, NULL) == 0);
    CHECK(locationd_request_authorization(handle, &options, &status, sizeof status) == 0);
    CHECK(status.authorization == LOCATIOND_AUTHORIZATION_AUTHORIZED_ALWAYS);
    end_call();
    teardown();
}

int main(void) {
    use_test_locale();
    authorization_is_waited_for();
    connect_and_first_reply_have_one_deadline();
    many_states_do_not_keep_the_program();
    decision_that_was_read_counts_after_the_timeout();
    puts("authorization: passed");
    return 0;
}
