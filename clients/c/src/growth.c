// What a struct of the header has to keep to, so that it can grow at its end: checked when the library is compiled.
#include "values.h"

/*
 * `first` is the size where a pointer has 8 bytes, as the soname began. No struct ever exceeds that by more than the zeroed room
 * which the oldest library has after its objects.
 */
#define GROWS(type, first) \
    _Static_assert(sizeof(void *) != 8 || (sizeof(struct type) >= (first) && sizeof(struct type) <= (first) + growth_limit), \
                   #type " has grown too far")

GROWS(locationd_location, 712);
GROWS(locationd_heading, 64);
GROWS(locationd_satellite, 56);
GROWS(locationd_ranked_source, 664);
GROWS(locationd_status, 728);
GROWS(locationd_region, 64);
GROWS(locationd_region_report, 288);
GROWS(locationd_visit, 56);
GROWS(locationd_update, 64);
GROWS(locationd_get_options, 48);
GROWS(locationd_watch_options, 112);
GROWS(locationd_significant_change, 32);
GROWS(locationd_monitor_options, 72);
GROWS(locationd_region_changes, 56);
GROWS(locationd_authorization_options, 48);

HAS_NO_PADDING(update, visit);
HAS_NO_PADDING(visit, reserved);
HAS_NO_PADDING(get_options, reserved);

// Within struct locationd_location: they grow into their `reserved`, and keep their size.
#define KEEPS_SIZE(type, size) \
    _Static_assert(sizeof(void *) != 8 || sizeof(struct type) == (size), #type " has another size")
KEEPS_SIZE(locationd_error_ellipse, 48);
KEEPS_SIZE(locationd_source, 448);
KEEPS_SIZE(locationd_coordinate, 16);
