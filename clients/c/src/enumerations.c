#include "enumerations.h"

#include "locationd.h"

_Static_assert(sizeof(enum locationd_mode) == sizeof(int), "enumerations are read as int");

#define ENUMERATION(name, ...) \
    static const char *const name##_names[] = {__VA_ARGS__}; \
    const struct enumeration name = {name##_names, sizeof name##_names / sizeof *name##_names}

ENUMERATION(accuracy_bases, [LOCATIOND_ACCURACY_BASIS_STATED] = "stated", [LOCATIOND_ACCURACY_BASIS_FROM_DOP] = "fromDOP");

ENUMERATION(modes, [LOCATIOND_MODE_TWO_DIMENSIONAL] = "twoDimensional",
            [LOCATIOND_MODE_THREE_DIMENSIONAL] = "threeDimensional");

ENUMERATION(augmentations, [LOCATIOND_AUGMENTATION_DGPS] = "dgps", [LOCATIOND_AUGMENTATION_RTK_FIXED] = "rtkFixed",
            [LOCATIOND_AUGMENTATION_RTK_FLOAT] = "rtkFloat", [LOCATIOND_AUGMENTATION_DEAD_RECKONING] = "deadReckoning",
            [LOCATIOND_AUGMENTATION_GNSS_DEAD_RECKONING] = "gnssDeadReckoning",
            [LOCATIOND_AUGMENTATION_TIME_ONLY] = "timeOnly", [LOCATIOND_AUGMENTATION_SIMULATED] = "simulated",
            [LOCATIOND_AUGMENTATION_PRECISE] = "precise");

ENUMERATION(antennas, [LOCATIOND_ANTENNA_OK] = "ok", [LOCATIOND_ANTENNA_OPEN] = "open", [LOCATIOND_ANTENNA_SHORT] = "short");

ENUMERATION(implausibilities, [LOCATIOND_IMPLAUSIBLE_NULL_ISLAND] = "nullIsland", [LOCATIOND_IMPLAUSIBLE_JUMP] = "jump",
            [LOCATIOND_IMPLAUSIBLE_TIME_RUNS_BACK] = "timeRunsBack");

ENUMERATION(bases, [LOCATIOND_BASIS_FILTERED] = "filtered", [LOCATIOND_BASIS_PREDICTED] = "predicted");

ENUMERATION(methods, [LOCATIOND_METHOD_GNSS] = "gnss", [LOCATIOND_METHOD_FIXED_POSITION] = "fixedPosition",
            [LOCATIOND_METHOD_NETWORK] = "network", [LOCATIOND_METHOD_SIMULATED] = "simulated",
            [LOCATIOND_METHOD_REPLAYED] = "replayed");

ENUMERATION(authorizations, [LOCATIOND_AUTHORIZATION_NOT_DETERMINED] = "notDetermined",
            [LOCATIOND_AUTHORIZATION_RESTRICTED] = "restricted", [LOCATIOND_AUTHORIZATION_DENIED] = "denied",
            [LOCATIOND_AUTHORIZATION_AUTHORIZED_WHEN_IN_USE] = "authorizedWhenInUse",
            [LOCATIOND_AUTHORIZATION_AUTHORIZED_ALWAYS] = "authorizedAlways");

ENUMERATION(accuracies, [LOCATIOND_ACCURACY_FULL] = "full", [LOCATIOND_ACCURACY_REDUCED] = "reduced");

ENUMERATION(source_states, [LOCATIOND_SOURCE_STOPPED] = "stopped", [LOCATIOND_SOURCE_STARTING] = "starting",
            [LOCATIOND_SOURCE_SEARCHING] = "searching", [LOCATIOND_SOURCE_TRACKING] = "tracking",
            [LOCATIOND_SOURCE_LOST] = "lost", [LOCATIOND_SOURCE_UNAVAILABLE] = "unavailable");

ENUMERATION(activity_types, [LOCATIOND_ACTIVITY_TYPE_OTHER] = "other",
            [LOCATIOND_ACTIVITY_TYPE_AUTOMOTIVE_NAVIGATION] = "automotiveNavigation",
            [LOCATIOND_ACTIVITY_TYPE_FITNESS] = "fitness",
            [LOCATIOND_ACTIVITY_TYPE_OTHER_NAVIGATION] = "otherNavigation", [LOCATIOND_ACTIVITY_TYPE_AIRBORNE] = "airborne");

ENUMERATION(levels, [LOCATIOND_LEVEL_WHEN_IN_USE] = "whenInUse", [LOCATIOND_LEVEL_ALWAYS] = "always");

// `unknown` of the interface, not decided, is 0 as well.
ENUMERATION(region_states, [LOCATIOND_REGION_INSIDE] = "inside", [LOCATIOND_REGION_OUTSIDE] = "outside");

ENUMERATION(region_events, [LOCATIOND_REGION_EVENT_ENTERED] = "entered", [LOCATIOND_REGION_EVENT_EXITED] = "exited",
            [LOCATIOND_REGION_EVENT_DWELLED] = "dwelled");
