// A program of a later version, whose structs are larger, finds zeros where this library has no fields.
#include "watch_fixture.h"

/// The header states it.
enum { stated_room = 1024 };

static bool has_room(const void *object, size_t size) {
    const char *after = (const char *)object + size;
    for (size_t index = 0; index < stated_room; index++) {
        if (after[index] != 0) {
            return false;
        }
    }
    return true;
}

#define HAS_ROOM(pointer) has_room(pointer, sizeof *(pointer))

#define FULL_STATUS "\"status\":{\"accuracy\":\"full\",\"authorization\":\"denied\",\"authorizationPending\":true,\"enabled\":true," \
    "\"source\":\"lost\",\"reason\":\"r\",\"sources\":[{\"name\":\"a\",\"state\":\"lost\",\"reason\":\"r\"},{\"name\":\"b\",\"state\":" \
    "\"lost\",\"reason\":\"r\"}],\"compasses\":[{\"name\":\"a\",\"state\":\"lost\"},{\"name\":\"b\",\"state\":\"lost\"}]}"
#define FULL_UPDATE FULL_STATUS "," LOCATION("1", "1") ",\"heading\":{\"age\":1.5}," \
    "\"satellites\":[{\"gnss\":\"GPS\",\"id\":1,\"used\":true},{\"gnss\":\"GPS\",\"id\":2,\"used\":true}]," \
    "\"region\":{\"identifier\":\"a\",\"state\":\"inside\"," LOCATION("1", "1") "}," \
    "\"visit\":{\"latitude\":1,\"longitude\":2,\"horizontalAccuracy\":3,\"isPresent\":true}"

static void check_status(const struct locationd_status *status) {
    CHECK(HAS_ROOM(status) && status->source_count == 2 && status->compass_count == 2);
    for (size_t index = 0; index < 2; index++) {
        CHECK(HAS_ROOM(status->sources[index]) && HAS_ROOM(status->compasses[index]));
    }
}

static void objects_of_updates_have_zeroed_room(void) {
    start_watch();
    // The second time there are other objects beside each.
    for (int round = 0; round < 2; round++) {
        daemon_send(&service, MORE(FULL_UPDATE));
        handle->session.has_location = false;
        NEXT(handle, &update, STATUS);
        check_status(update.status);
        NEXT(handle, &update, REGION);
        CHECK(HAS_ROOM(update.region) && HAS_ROOM(update.region->location));
        NEXT(handle, &update, LOCATION);
        CHECK(HAS_ROOM(update.location));
        NEXT(handle, &update, HEADING);
        CHECK(HAS_ROOM(update.heading));
        NEXT(handle, &update, SATELLITES);
        CHECK(update.satellite_count == 2 && HAS_ROOM(update.satellites[0]) && HAS_ROOM(update.satellites[1]));
        NEXT(handle, &update, VISIT);
        CHECK(HAS_ROOM(update.visit));
        for (size_t index = 0; index < sizeof update.visit->reserved; index++) {
            CHECK(update.visit->reserved[index] == 0);
        }
    }
    daemon_drop(&service);
    expect_outage("closed");
    CHECK(HAS_ROOM(update.status));
    teardown();
}

/// What calls give out: by pointers to the handle, where the next member must not be within the room.
static void objects_of_calls_have_zeroed_room(void) {
    setup(false);
    CHECK(sizeof handle->best >= sizeof handle->best.value + stated_room);
    CHECK(sizeof handle->call_status.status >= sizeof handle->call_status.status.value + stated_room);
    CHECK(HAS_ROOM(&handle->best.value) && HAS_ROOM(&handle->call_status.status.value));
    teardown();
}

/// A struct that has grown: its later members are zero after the call.
static void results_are_filled_with_zeros(void) {
    struct { struct locationd_update known; char later[stated_room]; } later;
    start_watch();
    memset(&later, 0x55, sizeof later);
    daemon_send(&service, MORE(STATUS));
    struct pollfd entry = {.fd = locationd_fd(handle), .events = POLLIN};
    CHECK(poll(&entry, 1, patience_ms) == 1 && locationd_process(handle, &later.known, sizeof later) == 1);
    CHECK(later.known.kind == LOCATIOND_UPDATE_STATUS && HAS_ROOM(&later.known));
    memset(&later, 0x55, sizeof later);
    CHECK(locationd_process(handle, &later.known, sizeof later) == 0 && later.known.kind == LOCATIOND_UPDATE_NONE);
    CHECK(HAS_ROOM(&later.known));
    teardown();
}

int main(void) {
    use_test_locale();
    objects_of_updates_have_zeroed_room();
    objects_of_calls_have_zeroed_room();
    results_are_filled_with_zeros();
    puts("growth: passed");
    return 0;
}
