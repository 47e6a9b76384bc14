// What the library asks the system for: the clock of ages, the environment, and how long it sleeps. The linker gives its calls to us.
#include <time.h>

#include "call.h"
#include "watch_fixture.h"

// The clock of ages stands still, so that a busy machine has no influence.
int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __real_clock_gettime(clockid_t clock, struct timespec *time);

int __wrap_clock_gettime(clockid_t clock, struct timespec *time) {
    if (clock == CLOCK_BOOTTIME) {
        *time = (struct timespec) {.tv_sec = 5000, .tv_nsec = 250000000};
        return 0;
    }
    return __real_clock_gettime(clock, time);
}

static void age_is_by_the_clock_that_counts_suspends(void) {
    struct locationd_location location = {.monotonic_time = 4990, .age = 3};
    CHECK(locationd_age(&location) == 10.25);
    location.monotonic_time = -100;
    CHECK(locationd_age(&location) == 5100.25);
    location.monotonic_time = 5001;
    CHECK(locationd_age(&location) == 0);
}

// As in a set-user-ID program, where the caller of the program may not choose its socket.
char *__wrap_secure_getenv(const char *name);

char *__wrap_secure_getenv(const char *name) {
    (void)name;
    return NULL;
}

static void socket_is_not_the_callers_choice_in_privileged_programs(void) {
    CHECK(setenv("LOCATIOND_SOCKET", "/tmp/elsewhere", 1) == 0 && locationd_open(&handle, NULL) == 0);
    CHECK(strcmp(handle->path, "/run/locationd/locationd.sock") == 0);
    locationd_close(handle);
}

static bool is_interrupting;
static int slept;

int __wrap_poll(struct pollfd *entries, nfds_t count, int timeout);
int __real_poll(struct pollfd *entries, nfds_t count, int timeout);

/// A sleep that a signal ends at once, while that is wanted.
int __wrap_poll(struct pollfd *entries, nfds_t count, int timeout) {
    if (is_interrupting) {
        slept = timeout;
        errno = EINTR;
        return -1;
    }
    return __real_poll(entries, count, timeout);
}

static void long_waits_do_not_overflow(void) {
    struct call call = {.is_interruptible = true};
    static const double waits[] = {100, 3600, 86400, 2147484, 4294968, 1e9};
    int error;
    setup(true);
    for (size_t index = 0; index < sizeof waits / sizeof *waits; index++) {
        CHECK(call_start(handle, &call, INTERFACE "GetStatus", json_object(), false, silence_deadline(handle)) == 0);
        is_interrupting = true;
        // At most an hour at once; an infinite sleep would be negative.
        CHECK(call_next(handle, &call, deadline_after(waits[index]), &error) == NULL && error == LOCATIOND_ERROR_INTERRUPTED);
        is_interrupting = false;
        CHECK(slept > 0 && slept <= 3600000 && (index < 2 || slept == 3600000));
        call_free(&call);
    }
    teardown();
}

int main(void) {
    use_test_locale();
    age_is_by_the_clock_that_counts_suspends();
    socket_is_not_the_callers_choice_in_privileged_programs();
    long_waits_do_not_overflow();
    puts("system: passed");
    return 0;
}
