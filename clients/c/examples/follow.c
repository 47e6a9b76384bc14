// Follows the position, over restarts of the service, until Ctrl-C: cc follow.c $(pkg-config --cflags --libs liblocationd)
#include <locationd.h>
#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t is_over;

static void stop(int signal) { is_over = signal; }

int main(void) {
    struct locationd *service;
    struct locationd_update update;
    struct locationd_watch_options options = LOCATIOND_WATCH_OPTIONS_INIT;
    options.purpose = "example";
    options.present = LOCATIOND_WATCH_HAS_MINIMUM_INTERVAL;
    options.minimum_interval = 1;
    int result = locationd_open(&service, NULL);
    if (result == 0) result = locationd_watch(service, &options);
    signal(SIGINT, stop);
    while (!is_over && (result >= 0 || result == LOCATIOND_ERROR_INTERRUPTED)) {
        // A signal just before the wait would go unnoticed until its end.
        result = locationd_next(service, &update, sizeof update, 1000);
        if (result == 1 && update.kind == LOCATIOND_UPDATE_LOCATION) {
            const struct locationd_location *here = update.location;
            printf("%.6f %.6f", here->latitude, here->longitude);
            if (here->present & LOCATIOND_LOCATION_HAS_HORIZONTAL_ACCURACY) {
                printf(" within %.1f m", here->horizontal_accuracy);
            }
            printf(", %.1f s old\n", locationd_age(here));
        } else if (result == 1 && update.kind == LOCATIOND_UPDATE_STATUS && update.status->reason[0] != '\0') {
            printf("%s\n", update.status->reason);
        }
        if (fflush(stdout) != 0) break;
    }
    if (!is_over && result < 0) {
        fprintf(stderr, "%s\n", service ? locationd_error_message(service) : locationd_strerror(result));
    }
    locationd_close(service);
    return !is_over;
}
