// Every allocation fails once, the library's and jansson's: an error or an outage, never a crash or a leak.
#include "scripted_daemon.h"

/// Allocations until one fails; negative: none.
static long left = -1;

static bool fails(void) {
    return left >= 0 && left-- == 0;
}

// The linker gives the library's calls to these.
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_malloc(size_t size);
void *__real_realloc(void *memory, size_t size);

void *__wrap_calloc(size_t count, size_t size) {
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_malloc(size_t size) {
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_realloc(void *memory, size_t size) {
    return fails() ? NULL : __real_realloc(memory, size);
}

static struct daemon service;

/// A monitor with an outage in between; true if no allocation failed.
static bool live(long allowed) {
    struct locationd *handle;
    struct locationd_update update;
    struct locationd_coordinate corners[] = {{1, 2}, {1, 3}, {2.5, 3}};
    struct locationd_region region = {.identifier = "field", .polygon = corners, .polygon_count = 3};
    struct locationd_significant_change change = LOCATIOND_SIGNIFICANT_CHANGE_INIT;
    struct locationd_monitor_options options = LOCATIOND_MONITOR_OPTIONS_INIT;
    options.name = "car";
    options.regions = &region;
    options.region_count = 1;
    options.significant_change = &change;
    left = allowed;
    int result = locationd_open(&handle, service.path);
    if (result != 0) {
        CHECK(result == LOCATIOND_ERROR_NO_MEMORY && handle == NULL);
        return false;
    }
    handle->session.timing.first_delay = handle->session.timing.longest_delay = SESSION_MILLISECOND;
    result = locationd_monitor(handle, &options);
    CHECK(result == 0 || *locationd_error_message(handle) != '\0');
    for (int replies = 0, count = 0; result == 0 && replies < 2 && count < 200; count++) {
        struct pollfd entries[] = {{.fd = locationd_fd(handle), .events = POLLIN}, {.fd = service.listener, .events = POLLIN}};
        CHECK(poll(entries, 2, patience_ms) > 0);
        if (entries[1].revents != 0) {
            long saved = left;
            left = -1;
            daemon_drop(&service);
            service.connection = accept(service.listener, NULL, NULL);
            static const char reply[] = MORE("\"status\":{\"accuracy\":\"full\",\"authorization\":\"denied\","
                "\"authorizationPending\":false,\"enabled\":true,\"source\":\"lost\","
                "\"sources\":[{\"name\":\"a\",\"state\":\"lost\",\"fixAge\":1.5}]},"
                "\"satellites\":[{\"gnss\":\"GPS\",\"id\":1,\"used\":true}]," LOCATION("1", "1.5"));
            // The client may be gone already.
            send(service.connection, reply, sizeof reply, MSG_NOSIGNAL);
            left = saved;
        }
        while ((result = locationd_process(handle, &update, sizeof update)) == 1) {
            if (update.kind == LOCATIOND_UPDATE_SATELLITES) {
                replies++;
                daemon_drop(&service);
            }
        }
        CHECK(result == 0);
    }
    struct locationd_status status;
    close(service.listener);
    service.listener = -1;
    result = locationd_status(handle, &status, sizeof status);
    CHECK(result == LOCATIOND_ERROR_UNREACHABLE || result == LOCATIOND_ERROR_NO_MEMORY);
    bool is_complete = left >= 0;
    left = -1;
    locationd_close(handle);
    return is_complete;
}

int main(void) {
    json_set_alloc_funcs(__wrap_malloc, free);
    daemon_init(&service);
    long allowed = 0;
    do {
        daemon_end(&service);
        daemon_listen(&service, 16);
    } while (!live(allowed++));
    CHECK(allowed > 100);
    daemon_free(&service);
    printf("memory: passed, %ld failures\n", allowed - 1);
    return 0;
}
