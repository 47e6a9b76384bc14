// A child process has copies of all descriptors: it disturbs nothing, and keeps nothing alive.
#include <sys/wait.h>

#include "call.h"
#include "watch_fixture.h"

/// A child that has copies of the handle's descriptors until it is released.
struct keeper {
    pid_t process;
    int hold[2];
};

static void keep(struct keeper *keeper) {
    CHECK(pipe(keeper->hold) == 0);
    keeper->process = fork();
    CHECK(keeper->process >= 0);
    if (keeper->process == 0) {
        char byte;
        close(keeper->hold[1]);
        close(service.connection);
        close(service.listener);
        _exit((int)read(keeper->hold[0], &byte, 1));
    }
}

static void release(struct keeper *keeper) {
    int status;
    close(keeper->hold[1]);
    CHECK(waitpid(keeper->process, &status, 0) == keeper->process);
    close(keeper->hold[0]);
}

/// Whether the client's end is at an end, although a child has a copy of it.
static bool is_over(void) {
    struct pollfd entry = {.fd = service.connection, .events = POLLIN};
    char byte;
    return poll(&entry, 1, patience_ms) == 1 && recv(service.connection, &byte, 1, 0) <= 0;
}

static void stop_and_close_end_the_connection_of_children_too(void) {
    struct keeper keeper;
    start_watch();
    keep(&keeper);
    CHECK(locationd_stop(handle) == 0 && is_over());
    release(&keeper);
    CHECK(locationd_watch(handle, NULL) == 0);
    json_decref(connect_and_accept(handle, &service));
    keep(&keeper);
    locationd_close(handle);
    CHECK(is_over());
    release(&keeper);
    daemon_free(&service);
}

static void child_may_close_and_the_watch_goes_on(void) {
    start_watch();
    int status;
    pid_t closer = fork();
    if (closer == 0) {
        locationd_close(handle);
        _exit(0);
    }
    CHECK(waitpid(closer, &status, 0) == closer && status == 0);
    daemon_send(&service, MORE(LOCATION("1", "1")));
    NEXT(handle, &update, LOCATION);
    CHECK(!is_readable(handle) && handle->session.state == SESSION_STREAMING);
    teardown();
}

static void child_keeps_nothing_readable(void) {
    struct keeper keeper;
    start_watch();
    keep(&keeper);
    // So long that no attempt is due, however long the machine takes.
    handle->session.delay = 3600000 * SESSION_MILLISECOND;
    daemon_end(&service);
    NEXT(handle, &update, STATUS);
    CHECK(!update.status->connected && locationd_process(handle, &update, sizeof update) == 0 && !is_readable(handle));
    release(&keeper);
    teardown();
}

/// A single call that a signal ends, while a child has a copy of its connection, ends for the daemon too.
static void interrupted_call_ends_for_children_too(void) {
    struct keeper keeper;
    struct call call = {0};
    setup(true);
    CHECK(call_start(handle, &call, INTERFACE "GetLocation", json_object(), false, silence_deadline(handle)) == 0);
    connection_send(&call.connection);
    json_decref(daemon_accept(&service));
    keep(&keeper);
    call_free(&call);
    CHECK(is_over());
    release(&keeper);
    teardown();
}

int main(void) {
    use_test_locale();
    stop_and_close_end_the_connection_of_children_too();
    child_may_close_and_the_watch_goes_on();
    child_keeps_nothing_readable();
    interrupted_call_ends_for_children_too();
    puts("fork: passed");
    return 0;
}
