// What a struct of the header has to keep to, so that it can grow at its end: checked when the library is compiled.
#include "values.h"

/*
 * Padding after the last member would be within the size that a program passes, with bytes that mean nothing: a later member
 * there would be taken for one that the program has set, and an unknown one not be noticed. It is named `reserved` instead.
 *
 * `first` is the size where a pointer has 8 bytes, as the soname began. No struct ever exceeds that by more than the zeroed room
 * which the oldest library has after its objects.
 */
#define GROWS(type, last, first) \
    _Static_assert(offsetof(struct type, last) + sizeof(((struct type *)0)->last) == sizeof(struct type), #type " has padding"); \
    _Static_assert(sizeof(void *) != 8 || (sizeof(struct type) >= (first) && sizeof(struct type) <= (first) + growth_limit), \
                   #type " has grown too far")

GROWS(locationd_location, error_ellipse, 712);
GROWS(locationd_heading, age, 64);
GROWS(locationd_satellite, signal, 56);
GROWS(locationd_ranked_source, reason, 664);
GROWS(locationd_status, compass_count, 728);
GROWS(locationd_region, polygon_count, 64);
GROWS(locationd_region_report, location, 288);
GROWS(locationd_visit, reserved, 56);
GROWS(locationd_update, visit, 64);
GROWS(locationd_get_options, reserved, 48);
GROWS(locationd_watch_options, purpose, 112);
GROWS(locationd_significant_change, interval, 32);
GROWS(locationd_monitor_options, purpose, 72);
GROWS(locationd_region_changes, remove_count, 56);
GROWS(locationd_authorization_options, timeout, 48);

// Within struct locationd_location: they grow into their `reserved`, and keep their size.
#define KEEPS_SIZE(type, size) \
    _Static_assert(sizeof(void *) != 8 || sizeof(struct type) == (size), #type " has another size")
KEEPS_SIZE(locationd_error_ellipse, 48);
KEEPS_SIZE(locationd_source, 448);
KEEPS_SIZE(locationd_coordinate, 16);
