// Every allocation of the library's and jansson's fails once: an error or an outage, never a crash or a leak. And what a reply
// takes of memory at most.
#include <malloc.h>

#include "scripted_daemon.h"

/// Allocations until one fails; negative: none.
static long left = -1;

static bool fails(void) {
    return left >= 0 && left-- == 0;
}

/// Bytes that are allocated, with what the allocator needs for each block, and the most that there have been.
static size_t allocated, peak;

static size_t cost_of(void *memory) {
    return memory == NULL ? 0 : malloc_usable_size(memory) + sizeof(size_t);
}

static void *count(void *memory) {
    allocated += cost_of(memory);
    peak = allocated > peak ? allocated : peak;
    return memory;
}

// The linker gives the library's calls to these.
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_realloc(void *memory, size_t size);
void __wrap_free(void *memory);
void *__real_calloc(size_t count, size_t size);
void *__real_malloc(size_t size);
void *__real_realloc(void *memory, size_t size);
void __real_free(void *memory);

void *__wrap_calloc(size_t number, size_t size) {
    return fails() ? NULL : count(__real_calloc(number, size));
}

void *__wrap_malloc(size_t size) {
    return fails() ? NULL : count(__real_malloc(size));
}

void *__wrap_realloc(void *memory, size_t size) {
    size_t before = cost_of(memory);
    void *grown = fails() ? NULL : __real_realloc(memory, size);
    // Where it moves there are both for a moment.
    count(grown);
    allocated -= grown == NULL ? 0 : before;
    return grown;
}

void __wrap_free(void *memory) {
    allocated -= cost_of(memory);
    __real_free(memory);
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

/// A list of 1 MiB in which the element is repeated: as often as it fits, or `number` times, with a text for the rest.
static const char *large_reply(const char *before, const char *element, const char *after, int number) {
    static char message[message_limit + 1];
    const size_t rest = strlen(after) + sizeof ",\"text\":\"\"}}";
    size_t length = (size_t)snprintf(message, sizeof message, "{\"continues\":true,\"parameters\":{%s", before);
    for (int index = 0; (number == 0 || index < number) && length + strlen(element) + rest < message_limit; index++) {
        length += (size_t)sprintf(message + length, index == 0 ? "%s" : ",%s", element);
    }
    length += (size_t)sprintf(message + length, "%s,\"text\":\"", after);
    memset(message + length, 'x', message_limit - 3 - length);
    strcpy(message + message_limit - 3, "\"}}");
    return message;
}

/// What a watch needs at most for a reply of 1 MiB, beside what it has before. Says whether the reply is an outage.
static size_t cost_of_reply(const char *message, bool *is_outage) {
    struct locationd *handle;
    struct locationd_update update;
    size_t length = strlen(message) + 1;
    CHECK(locationd_open(&handle, service.path) == 0 && locationd_watch(handle, NULL) == 0);
    json_decref(connect_and_accept(handle, &service));
    size_t before = peak = allocated;
    int result;
    while ((result = locationd_process(handle, &update, sizeof update)) == 0 && length > 0) {
        ssize_t sent = send(service.connection, message, length, MSG_NOSIGNAL | MSG_DONTWAIT);
        message += sent > 0 ? sent : 0;
        length -= sent > 0 ? (size_t)sent : 0;
    }
    // A reply that has only what a later daemon has added gives nothing.
    while (result == 0 && handle->session.state == SESSION_CALLING) {
        result = locationd_process(handle, &update, sizeof update);
    }
    *is_outage = result == 1 && update.kind == LOCATIOND_UPDATE_STATUS && !update.status->connected;
    locationd_close(handle);
    return peak - before;
}

static void a_reply_takes_16_megabytes_at_most(void) {
    static const struct { const char *before, *element, *after; int values; } lists[] = {
        {"\"status\":{\"accuracy\":\"full\",\"authorization\":\"denied\",\"authorizationPending\":false,\"enabled\":true,"
         "\"source\":\"lost\",\"sources\":[", "0", "]}", 1},
        {"\"satellites\":[", "0", "]", 1}, {"\"satellites\":[", "{\"gnss\":\"GPS\",\"id\":1,\"used\":true}", "]", 4},
        {"\"later\":[", "0.5", "]", 1}, {"\"later\":[", "\"\"", "]", 1}, {"\"later\":[", "{}", "]", 2}, {"\"later\":[", "[]", "]", 2},
        {"\"later\":[", "[[{}]]", "]", 4}, {"\"later\":[", "{\"a\":{}}", "]", 3}, {"\"later\":[", "{\"a\":\"\"}", "]", 2},
    };
    size_t most = 0;
    for (size_t index = 0; index < sizeof lists / sizeof *lists; index++) {
        bool is_outage, is_list = strncmp(lists[index].before, "\"later", 6) != 0;
        // What is refused at once, and as many values as are read.
        size_t refused = cost_of_reply(large_reply(lists[index].before, lists[index].element, lists[index].after, 0), &is_outage);
        CHECK(is_outage);
        int number = (value_limit - 20) / lists[index].values;
        size_t read = cost_of_reply(large_reply(lists[index].before, lists[index].element, lists[index].after, number), &is_outage);
        CHECK(is_outage == is_list);
        most = refused > most ? refused : most;
        most = read > most ? read : most;
    }
    printf("memory: %.1f MB for a reply at most\n", (double)most / 1e6);
    CHECK(most > message_limit && most <= 16000000);
}

int main(void) {
    json_set_alloc_funcs(__wrap_malloc, __wrap_free);
    daemon_init(&service);
    long allowed = 0;
    do {
        daemon_end(&service);
        daemon_listen(&service, 16);
    } while (!live(allowed++));
    CHECK(allowed > 100);
    daemon_end(&service);
    daemon_listen(&service, 16);
    a_reply_takes_16_megabytes_at_most();
    daemon_free(&service);
    printf("memory: passed, %ld failures\n", allowed - 1);
    return 0;
}
