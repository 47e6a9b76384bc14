// A poll loop beside another descriptor: follows the position until `q` and Return are pressed.
#include <locationd.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

/// Prints what there is. Returns 0, 1 if that fails, or the error that has ended the watch.
static int print_updates(struct locationd *service) {
    struct locationd_update update;
    int result;
    while ((result = locationd_process(service, &update, sizeof update)) == 1) {
        if (update.kind == LOCATIOND_UPDATE_LOCATION) {
            printf("%.6f %.6f\n", update.location->latitude, update.location->longitude);
        } else if (update.kind == LOCATIOND_UPDATE_STATUS) {
            printf("%s %s\n", update.status->connected ? "connected" : "not connected", update.status->reason);
        }
    }
    return result == 0 ? fflush(stdout) != 0 : result;
}

int main(void) {
    struct locationd *service;
    int result = locationd_open(&service, NULL);
    if (result != 0) {
        fprintf(stderr, "%s\n", locationd_strerror(result));
        return 1;
    }
    result = locationd_watch(service, NULL);
    // The descriptor stays the same while the library reconnects.
    struct pollfd entries[] = {
        {.fd = locationd_fd(service), .events = (short)locationd_events(service)},
        {.fd = STDIN_FILENO, .events = POLLIN},
    };
    char key = 0;
    while (result == 0 && key != 'q' && poll(entries, 2, -1) > 0) {
        if (entries[0].revents != 0) {
            result = print_updates(service);
        }
        if (entries[1].revents != 0 && read(STDIN_FILENO, &key, 1) <= 0) {
            break;
        }
    }
    if (result < 0) {
        fprintf(stderr, "%s\n", locationd_error_message(service));
    }
    locationd_close(service);
    return result != 0;
}
