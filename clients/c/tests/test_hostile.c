// Daemons that flood, do not read, or vanish in unusual ways; and programs with signals, children and threads.
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "scripted_daemon.h"

static struct daemon service;
static struct locationd *handle;
static struct locationd_update update;

static void setup(void) {
    daemon_init(&service);
    daemon_listen(&service, 16);
    CHECK(locationd_open(&handle, service.path) == 0);
    handle->session.timing.first_delay = SESSION_MILLISECOND;
    handle->session.timing.longest_delay = 2 * SESSION_MILLISECOND;
}

static void teardown(void) {
    locationd_close(handle);
    daemon_free(&service);
}

static const int64_t hour = 3600000 * SESSION_MILLISECOND;

static void start_watch(void) {
    CHECK(locationd_watch(handle, NULL) == 0);
    json_decref(connect_and_accept(handle, &service));
    daemon_send(&service, MORE(STATUS));
    NEXT(handle, &update, STATUS);
}

/// The descriptor is quiet while nothing is to be done.
static void descriptor_does_not_spin(void) {
    setup();
    start_watch();
    // So long that nothing is due in between, however long the machine takes.
    handle->session.delay = hour;
    CHECK(!is_readable(handle));
    shutdown(service.connection, SHUT_RD);
    CHECK(!is_readable(handle));
    shutdown(service.connection, SHUT_WR);
    NEXT(handle, &update, STATUS);
    CHECK(!update.status->connected && locationd_process(handle, &update, sizeof update) == 0 && !is_readable(handle));
    daemon_end(&service);
    CHECK(!is_readable(handle));
    // The time of the next attempt comes.
    handle->session.delay = hour;
    handle->session.timing.longest_delay = hour;
    handle->session.deadline = monotonic_now();
    handle_arm(handle, handle->session.deadline);
    struct pollfd entry = {.fd = locationd_fd(handle), .events = POLLIN};
    CHECK(poll(&entry, 1, patience_ms) == 1);
    CHECK(locationd_process(handle, &update, sizeof update) == 0 && !is_readable(handle));
    CHECK(locationd_stop(handle) == 0 && !is_readable(handle));
    CHECK(locationd_process(handle, &update, sizeof update) == LOCATIOND_ERROR_NOT_WATCHING && !is_readable(handle));
    teardown();
}

static void connect_half_sent(void) {
    while (handle->session.state != SESSION_CALLING) {
        CHECK(locationd_process(handle, &update, sizeof update) == 0);
    }
    CHECK(connection_is_sending(&handle->connection) && !is_readable(handle));
    daemon_drop(&service);
    service.connection = accept(service.listener, NULL, NULL);
}

/// Takes a call that exceeds the socket's buffer; the result is its length.
static size_t take_call(void) {
    char bytes[65536] = "", last = 1;
    size_t total = 0;
    while (last != '\0') {
        ssize_t length = recv(service.connection, bytes, sizeof bytes, MSG_DONTWAIT);
        if (length > 0) {
            CHECK(total > 0 || *bytes == '{');
            last = bytes[length - 1];
            total += (size_t)length;
        } else {
            struct pollfd entry = {.fd = locationd_fd(handle), .events = POLLIN};
            CHECK(poll(&entry, 1, patience_ms) == 1 && locationd_process(handle, &update, sizeof update) == 0);
        }
    }
    CHECK(!connection_is_sending(&handle->connection) && !is_readable(handle));
    return total;
}

static void daemon_that_does_not_read_blocks_nothing(void) {
    setup();
    // So long that no silence is over by itself, however long the machine takes to write the calls.
    handle->session.timing.silence = hour;
    enum { count = 1000, corner_count = 100 };
    static struct locationd_coordinate corners[corner_count];
    static struct locationd_region regions[count];
    for (int index = 0; index < count; index++) {
        regions[index] = (struct locationd_region) {.identifier = "x", .polygon = corners, .polygon_count = corner_count};
    }
    struct locationd_monitor_options options = LOCATIOND_MONITOR_OPTIONS_INIT;
    options.regions = regions;
    options.region_count = count;
    CHECK(locationd_monitor(handle, &options) == 0);
    connect_half_sent();
    CHECK(locationd_process(handle, &update, sizeof update) == 0 && !is_readable(handle));
    size_t total = take_call();
    CHECK(total > 1000000);
    // After a silence with a call half sent the next connection begins with a call, and not with the rest.
    CHECK(locationd_stop(handle) == 0 && locationd_monitor(handle, &options) == 0);
    connect_half_sent();
    handle->session.deadline = monotonic_now();
    handle_arm(handle, handle->session.deadline);
    NEXT(handle, &update, STATUS);
    CHECK(strstr(update.status->reason, "does not answer") != NULL);
    connect_half_sent();
    CHECK(take_call() == total);
    // The end of a connection with a call half sent raises no signal.
    CHECK(locationd_stop(handle) == 0 && locationd_monitor(handle, &options) == 0);
    connect_half_sent();
    daemon_end(&service);
    NEXT(handle, &update, STATUS);
    CHECK(!update.status->connected);
    teardown();
}

static void ignore(int signal) {
    (void)signal;
}

static void signals_interrupt_long_waits_alone(void) {
    setup();
    start_watch();
    CHECK(sigaction(SIGALRM, &(struct sigaction) {.sa_handler = ignore}, NULL) == 0);
    struct itimerval often = {{0, 2000}, {0, 2000}}, never = {0};
    CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
    CHECK(locationd_next(handle, &update, sizeof update, -1) == LOCATIOND_ERROR_INTERRUPTED);
    CHECK(update.kind == LOCATIOND_UPDATE_NONE);
    struct locationd_location here;
    CHECK(locationd_get(handle, NULL, &here, sizeof here) == LOCATIOND_ERROR_INTERRUPTED);
    struct locationd_status status;
    CHECK(locationd_request_authorization(handle, NULL, &status, sizeof status) == LOCATIOND_ERROR_INTERRUPTED);
    handle->session.timing.silence = 20 * SESSION_MILLISECOND;
    int64_t start = monotonic_now();
    CHECK(locationd_status(handle, &status, sizeof status) == LOCATIOND_ERROR_UNREACHABLE);
    CHECK(monotonic_now() - start >= 20 * SESSION_MILLISECOND);
    CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
    // The watch goes on after that.
    daemon_send(&service, MORE(LOCATION("1", "1")));
    NEXT(handle, &update, LOCATION);
    teardown();
}

/// Sends what is quick to send and slow to read, so that there is always more.
static void *flood(void *unused) {
    static char message[100000] = "{\"continues\":true,\"parameters\":{\"weather\":[0";
    (void)unused;
    size_t length = strlen(message);
    while (length < sizeof message - 10) {
        length += (size_t)sprintf(message + length, ",1.5");
    }
    strcpy(message + length, "]}}");
    while (send(service.connection, message, length + 4, MSG_NOSIGNAL) > 0) {
    }
    return NULL;
}

static void flood_does_not_keep_the_program(void) {
    setup();
    start_watch();
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, flood, NULL) == 0);
    int64_t start = monotonic_now();
    CHECK(locationd_next(handle, &update, sizeof update, 50) == 0);
    int64_t took = monotonic_now() - start;
    CHECK(took >= 50 * SESSION_MILLISECOND && took < 20000 * SESSION_MILLISECOND);
    locationd_stop(handle);
    CHECK(pthread_join(thread, NULL) == 0);
    // One call of process gives up after a number of messages, and the descriptor says that there is more.
    start_watch();
    for (int count = 0; count < 100; count++) {
        daemon_send(&service, MORE("\"weather\":{\"wind\":[1.5,2.5,3.5]}"));
    }
    daemon_send(&service, MORE(LOCATION("1", "1")));
    for (int count = 0; count < 3; count++) {
        CHECK(locationd_process(handle, &update, sizeof update) == 0 && is_readable(handle));
    }
    NEXT(handle, &update, LOCATION);
    CHECK(!is_readable(handle));
    teardown();
}

/// Sends to a new watch while it reads, until it gives an update.
static void push(const char *bytes, size_t length) {
    CHECK(locationd_watch(handle, NULL) == 0);
    json_decref(connect_and_accept(handle, &service));
    while (locationd_process(handle, &update, sizeof update) == 0) {
        ssize_t count = length == 0 ? 0 : send(service.connection, bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count > 0) {
            bytes += count;
            length -= (size_t)count;
        }
    }
    CHECK(handle->connection.received.capacity <= 4 * message_limit);
    locationd_stop(handle);
}

static void messages_have_a_limit(void) {
    static const char start[] = "{\"continues\":true,\"parameters\":{" LOCATION("1", "1") ",\"later\":\"", end[] = "\"}}";
    static char message[message_limit + 100];
    setup();
    memset(message, 'x', sizeof message);
    memcpy(message, start, strlen(start));
    memcpy(message + message_limit - 3, end, 4);
    push(message, message_limit + 1);
    CHECK(update.kind == LOCATIOND_UPDATE_LOCATION);
    memcpy(message + message_limit - 3, "xxxx", 4);
    memcpy(message + message_limit - 2, end, 4);
    push(message, message_limit + 2);
    CHECK(update.kind == LOCATIOND_UPDATE_STATUS && strstr(update.status->reason, "exceeds 1 MiB") != NULL);
    // One without an end, and little by little.
    memset(message + message_limit - 3, 'x', 103);
    push(message, sizeof message);
    CHECK(update.kind == LOCATIOND_UPDATE_STATUS && strstr(update.status->reason, "exceeds 1 MiB") != NULL);
    teardown();
}

static void descriptors_are_closed_by_exec(void) {
    setup();
    start_watch();
    int descriptors[] = {handle->poller, handle->timer, handle->connection.descriptor};
    for (int index = 0; index < 3; index++) {
        CHECK((fcntl(descriptors[index], F_GETFD) & FD_CLOEXEC) != 0);
    }
    teardown();
}

static void exhausted_descriptors_are_an_error(void) {
    setup();
    struct rlimit before, none;
    struct locationd *other = handle;
    struct locationd_status status;
    CHECK(getrlimit(RLIMIT_NOFILE, &before) == 0);
    none = (struct rlimit) {.rlim_cur = 0, .rlim_max = before.rlim_max};
    CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0);
    CHECK(locationd_open(&other, service.path) == LOCATIOND_ERROR_NO_MEMORY && other == NULL);
    CHECK(locationd_status(handle, &status, sizeof status) == LOCATIOND_ERROR_NO_MEMORY);
    CHECK(locationd_watch(handle, NULL) == 0 && locationd_process(handle, &update, sizeof update) == 1);
    CHECK(!update.status->connected && strstr(update.status->reason, "Too many open files") != NULL);
    CHECK(setrlimit(RLIMIT_NOFILE, &before) == 0);
    json_decref(connect_and_accept(handle, &service));
    teardown();
}

static void *watch_alone(void *unused) {
    struct daemon own;
    struct locationd *own_handle;
    struct locationd_update own_update;
    (void)unused;
    daemon_init(&own);
    daemon_listen(&own, 4);
    for (int round = 0; round < 20; round++) {
        CHECK(locationd_open(&own_handle, own.path) == 0 && locationd_watch(own_handle, NULL) == 0);
        while (own_handle->session.state != SESSION_CALLING) {
            CHECK(locationd_process(own_handle, &own_update, sizeof own_update) == 0);
        }
        daemon_drop(&own);
        own.connection = accept(own.listener, NULL, NULL);
        for (int count = 0; count < 50; count++) {
            char message[600];
            snprintf(message, sizeof message, MORE("\"location\":" LOCATION_BODY("52.125", "%d", "%d")), count, count);
            daemon_send(&own, message);
            CHECK(locationd_next(own_handle, &own_update, sizeof own_update, patience_ms) == 1);
            CHECK(own_update.location->sequence == count && own_update.location->latitude == 52.125);
        }
        locationd_close(own_handle);
    }
    daemon_free(&own);
    return NULL;
}

static void handles_of_several_threads_are_independent(void) {
    pthread_t threads[4];
    for (int index = 0; index < 4; index++) {
        CHECK(pthread_create(&threads[index], NULL, watch_alone, NULL) == 0);
    }
    for (int index = 0; index < 4; index++) {
        CHECK(pthread_join(threads[index], NULL) == 0);
    }
}

int main(void) {
    use_test_locale();
    descriptor_does_not_spin();
    daemon_that_does_not_read_blocks_nothing();
    signals_interrupt_long_waits_alone();
    flood_does_not_keep_the_program();
    messages_have_a_limit();
    descriptors_are_closed_by_exec();
    exhausted_descriptors_are_an_error();
    handles_of_several_threads_are_independent();
    puts("hostile: passed");
    return 0;
}
