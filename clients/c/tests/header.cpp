// The header as a C++ program uses it; compiled as C++11, without a warning.
#include <locationd.h>

template <typename Options> static bool is_initial(const Options &options) {
    return options.size == sizeof options && options.present == 0;
}

int main() {
    locationd_get_options get = LOCATIOND_GET_OPTIONS_INIT;
    locationd_watch_options watch = LOCATIOND_WATCH_OPTIONS_INIT;
    locationd_significant_change change = LOCATIOND_SIGNIFICANT_CHANGE_INIT;
    locationd_monitor_options monitor = LOCATIOND_MONITOR_OPTIONS_INIT;
    locationd_region_changes changes = LOCATIOND_REGION_CHANGES_INIT;
    locationd_authorization_options authorization = LOCATIOND_AUTHORIZATION_OPTIONS_INIT;
    if (!is_initial(get) || !is_initial(watch) || !is_initial(change) || !is_initial(monitor) || !is_initial(authorization)
        || monitor.region_size != sizeof(locationd_region) || changes.region_size != sizeof(locationd_region)
        || changes.size != sizeof changes || changes.name || watch.purpose || watch.interval != 0 || monitor.regions || get.timeout != 0) {
        return 1;
    }
    watch.present |= LOCATIOND_WATCH_HAS_HEADING;
    watch.heading = true;
    locationd *service;
    if (locationd_open(&service, "/nowhere") != 0 || locationd_watch(service, &watch) != 0) {
        return 1;
    }
    struct locationd_status status;
    bool is_refused = locationd_status(service, &status, sizeof status) == LOCATIOND_ERROR_UNREACHABLE;
    locationd_close(service);
    return !is_refused;
}
