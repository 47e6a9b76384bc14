/**
 * Where this machine is: the C client of locationd(8), which speaks org.locationd.location(7).
 *
 * Units: metres, metres per second, degrees (clockwise from true north), seconds, unless a comment says otherwise.
 *
 * Presence: a field with a bit LOCATIOND_…_HAS_… is meaningful only while that bit is set in `present`; else it is zero,
 * and that zero means nothing. No value is NaN, infinite or outside the range that its comment gives. An enumeration is
 * 0 (…_UNKNOWN) if the daemon gave none, or one that this library does not know. Fields without a bit always have a value.
 *
 * Errors: a function that returns int returns a negative enum locationd_error on failure; locationd_error_message() then has
 * a sentence that says what happened and what to do. Nothing is printed, no signal is raised, and input never aborts.
 *
 * Ownership: what a handle gives out by pointer (the objects in struct locationd_update, the arrays in struct
 * locationd_status, sentences) belongs to the handle and is valid until the next call with this handle. A struct that is
 * assigned to a variable is a copy of its own; texts are arrays within it. A text that is too long for its array is cut
 * between two characters; texts are UTF-8, as the daemon sent them: escape them for a terminal or a page.
 *
 * Threads: a handle is used by one thread at a time. Handles are independent of each other: there is no global state, and
 * the locale does not matter. In the child of fork(2) a handle of the parent may be given to locationd_close() and nothing
 * else; this does not disturb the parent. What the parent ends is at an end, also if a child still has copies of descriptors.
 *
 * Growth: structs grow at their end only. A program passes the size of each struct it was compiled with: options have it in
 * `size`, which the …_INIT macros set, results are followed by it as an argument. The library reads and fills no more than
 * that, and zeroes what it does not know, so that program and library may be of different versions. Objects that the library
 * gives out are followed by 1024 zeroed bytes, in which a program that knows more fields than the library finds them absent;
 * so no struct ever grows by more than 1024 bytes in total while the library's soname ends in 0. Members named `reserved` are
 * zero; options in which they are not are refused.
 *
 * C++: the …_INIT macros work there too. Write `struct locationd_status` with `struct`, because the function of this name hides it.
 */
#ifndef LOCATIOND_H
#define LOCATIOND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A connection to the service, and the errors, texts and updates that came of it. */
struct locationd;

/** Why a function failed. */
enum locationd_error {
    LOCATIOND_ERROR_INVALID_ARGUMENT = -1,      /**< An argument is wrong; nothing was sent. */
    LOCATIOND_ERROR_NO_MEMORY = -2,             /**< Memory or descriptors are exhausted. */
    LOCATIOND_ERROR_UNREACHABLE = -3,           /**< The service does not run, is silent, or may not be connected to. */
    LOCATIOND_ERROR_INTERRUPTED = -4,           /**< A signal's handler ran while the function slept; call it again. */
    LOCATIOND_ERROR_BUSY = -5,                  /**< The handle has a watch or monitor already; see locationd_stop(). */
    LOCATIOND_ERROR_NOT_WATCHING = -6,          /**< The handle has neither a watch nor a monitor. */
    LOCATIOND_ERROR_ENDED = -7,                 /**< The watch has reached its `maximum_updates` or `duration`. */
    LOCATIOND_ERROR_NOT_AUTHORIZED = -8,        /**< The program may not know the position. */
    LOCATIOND_ERROR_DISABLED = -9,              /**< The administrator has switched the service off. */
    LOCATIOND_ERROR_LOCATION_UNAVAILABLE = -10, /**< The receiver cannot be reached. See locationd_best(). */
    LOCATIOND_ERROR_TIMED_OUT = -11,            /**< Nothing that meets the request came in time. See locationd_best(). */
    LOCATIOND_ERROR_TOO_MANY_CLIENTS = -12,     /**< Too many connections are open. */
    LOCATIOND_ERROR_TOO_MANY_REQUESTS = -13,    /**< The user calls too often. */
    LOCATIOND_ERROR_TOO_MANY_AUTHORIZATIONS = -14, /**< Too many requests for authorization are pending. */
    LOCATIOND_ERROR_TOO_MANY_REGIONS = -15,     /**< Too many regions or named monitors. */
    LOCATIOND_ERROR_NO_SUCH_MONITOR = -16,      /**< There is no monitor of this name, or it was removed. */
    LOCATIOND_ERROR_MONITOR_IN_USE = -17,       /**< Another connection uses the name. */
    LOCATIOND_ERROR_INVALID_PARAMETER = -18,    /**< The daemon refuses an option; the message names it. */
    LOCATIOND_ERROR_PERMISSION_DENIED = -19,    /**< The daemon refuses the call. */
    LOCATIOND_ERROR_NOT_SUPPORTED = -20,        /**< The daemon does not have the method; it may be older. */
    LOCATIOND_ERROR_OTHER = -21                 /**< An error that this library does not know; the message names it. */
};

/** Where `horizontal_accuracy` comes from. */
enum locationd_accuracy_basis {
    LOCATIOND_ACCURACY_BASIS_UNKNOWN,
    LOCATIOND_ACCURACY_BASIS_STATED,  /**< The receiver states it. */
    LOCATIOND_ACCURACY_BASIS_FROM_DOP /**< Computed from the dilution of precision, because the receiver states none. */
};

/** The dimensions of a fix. */
enum locationd_mode {
    LOCATIOND_MODE_UNKNOWN,
    LOCATIOND_MODE_TWO_DIMENSIONAL,
    LOCATIOND_MODE_THREE_DIMENSIONAL
};

/** What improved a fix; UNKNOWN for one by satellites alone. */
enum locationd_augmentation {
    LOCATIOND_AUGMENTATION_UNKNOWN,
    LOCATIOND_AUGMENTATION_DGPS,      /**< Differential corrections. */
    LOCATIOND_AUGMENTATION_RTK_FIXED, /**< Real-time kinematic, ambiguities resolved. */
    LOCATIOND_AUGMENTATION_RTK_FLOAT, /**< Real-time kinematic, ambiguities not resolved. */
    LOCATIOND_AUGMENTATION_DEAD_RECKONING, /**< No satellites. */
    LOCATIOND_AUGMENTATION_GNSS_DEAD_RECKONING, /**< Satellites and dead reckoning. */
    LOCATIOND_AUGMENTATION_TIME_ONLY, /**< An entered position. */
    LOCATIOND_AUGMENTATION_SIMULATED, /**< By the receiver itself. */
    LOCATIOND_AUGMENTATION_PRECISE    /**< The military code. */
};

/** The state of a receiver's antenna. */
enum locationd_antenna {
    LOCATIOND_ANTENNA_UNKNOWN,
    LOCATIOND_ANTENNA_OK,
    LOCATIOND_ANTENNA_OPEN, /**< There is none, or its cable is broken. */
    LOCATIOND_ANTENNA_SHORT /**< It has a short circuit. */
};

/** The rule by which a fix is not believed; see locationd.toml(5). */
enum locationd_implausible {
    LOCATIOND_IMPLAUSIBLE_UNKNOWN,
    LOCATIOND_IMPLAUSIBLE_NULL_ISLAND,
    LOCATIOND_IMPLAUSIBLE_JUMP,
    LOCATIOND_IMPLAUSIBLE_TIME_RUNS_BACK
};

/** How an estimate was made; UNKNOWN for a fix itself. */
enum locationd_basis {
    LOCATIOND_BASIS_UNKNOWN,
    LOCATIOND_BASIS_FILTERED, /**< From the fix of its time and those before it. */
    LOCATIOND_BASIS_PREDICTED /**< From earlier fixes alone, because there is none for its time. */
};

/** How a location came to be. */
enum locationd_method {
    LOCATIOND_METHOD_UNKNOWN,
    LOCATIOND_METHOD_GNSS,           /**< Measured now. */
    LOCATIOND_METHOD_FIXED_POSITION, /**< Written by a person or a program; nothing measured it. */
    LOCATIOND_METHOD_NETWORK,        /**< Estimated from radio stations that are heard. */
    LOCATIOND_METHOD_SIMULATED,
    LOCATIOND_METHOD_REPLAYED
};

/** Whether the program may know the position. */
enum locationd_authorization {
    LOCATIOND_AUTHORIZATION_UNKNOWN,
    LOCATIOND_AUTHORIZATION_NOT_DETERMINED, /**< There is no decision. */
    LOCATIOND_AUTHORIZATION_RESTRICTED, /**< The policy forbids it. */
    LOCATIOND_AUTHORIZATION_DENIED,
    LOCATIOND_AUTHORIZATION_AUTHORIZED_WHEN_IN_USE, /**< While the client's user has an active login session. */
    LOCATIOND_AUTHORIZATION_AUTHORIZED_ALWAYS
};

/** How precisely the program may know the position. */
enum locationd_accuracy {
    LOCATIOND_ACCURACY_UNKNOWN,
    LOCATIOND_ACCURACY_FULL,
    LOCATIOND_ACCURACY_REDUCED
};

/** The state of the sources of fixes, or of one of them. */
enum locationd_source_state {
    LOCATIOND_SOURCE_UNKNOWN,
    LOCATIOND_SOURCE_STOPPED,    /**< There is no demand, the switch is off, or the client does not make it run. */
    LOCATIOND_SOURCE_STARTING,   /**< Connecting. */
    LOCATIOND_SOURCE_SEARCHING,  /**< Connected, no fix yet. */
    LOCATIOND_SOURCE_TRACKING,   /**< Fixes arrive. */
    LOCATIOND_SOURCE_LOST,       /**< There was a fix. */
    /** It cannot be reached; the daemon (in the status of an outage: the client) keeps trying. */
    LOCATIOND_SOURCE_UNAVAILABLE
};

/** What the position is used for. */
enum locationd_activity_type {
    LOCATIOND_ACTIVITY_TYPE_UNKNOWN, /**< Not stated. */
    LOCATIOND_ACTIVITY_TYPE_OTHER,
    LOCATIOND_ACTIVITY_TYPE_AUTOMOTIVE_NAVIGATION, /**< Driving. */
    LOCATIOND_ACTIVITY_TYPE_FITNESS, /**< On foot or by bicycle. */
    LOCATIOND_ACTIVITY_TYPE_OTHER_NAVIGATION, /**< By boat or train. */
    LOCATIOND_ACTIVITY_TYPE_AIRBORNE
};

/** The authorization that a program requests. */
enum locationd_level {
    LOCATIOND_LEVEL_UNKNOWN, /**< Not stated: when in use. */
    LOCATIOND_LEVEL_WHEN_IN_USE,
    LOCATIOND_LEVEL_ALWAYS
};

/** On which side of a region's border the machine is. */
enum locationd_region_state {
    LOCATIOND_REGION_UNKNOWN, /**< Not decided. */
    LOCATIOND_REGION_INSIDE,
    LOCATIOND_REGION_OUTSIDE
};

/** The event that caused a report about a region; UNKNOWN if none did. */
enum locationd_region_event {
    LOCATIOND_REGION_EVENT_UNKNOWN,
    LOCATIOND_REGION_EVENT_ENTERED,
    LOCATIOND_REGION_EVENT_EXITED,
    LOCATIOND_REGION_EVENT_DWELLED
};

/** The ellipse of the horizontal error. */
struct locationd_error_ellipse {
    double semi_major_axis;     /**< Half the longer axis, metres, not negative. */
    double semi_minor_axis;     /**< Half the shorter axis, metres, not negative. */
    double orientation;         /**< Direction of the longer axis, degrees from true north, 0 to below 180. */
    /**
     * Whether the axes are standard deviations; else their certainty is unknown: they are the receiver's own, or
     * estimated by gpsd.
     */
    bool is_standard_deviation;
    uint64_t reserved[2];
};

#define LOCATIOND_SOURCE_HAS_DEVICE (UINT64_C(1) << 0)

/** Where a fix comes from. */
struct locationd_source {
    uint64_t present;             /**< LOCATIOND_SOURCE_HAS_… */
    enum locationd_method method; /**< How a location came to be. */
    bool is_simulated;            /**< Whether the fix is from a simulator, or was injected by an administrator. */
    bool is_replayed;             /**< Whether it is from a recording. */
    char name[128];               /**< The configured source; see locationd.toml(5). */
    char device[256];             /**< The receiver's device. */
    uint64_t reserved[6];
};

#define LOCATIOND_LOCATION_HAS_HORIZONTAL_ACCURACY (UINT64_C(1) << 0)
#define LOCATIOND_LOCATION_HAS_ERROR_ELLIPSE (UINT64_C(1) << 1)
#define LOCATIOND_LOCATION_HAS_ALTITUDE (UINT64_C(1) << 2)
#define LOCATIOND_LOCATION_HAS_ELLIPSOIDAL_ALTITUDE (UINT64_C(1) << 3)
#define LOCATIOND_LOCATION_HAS_GEOID_SEPARATION (UINT64_C(1) << 4)
#define LOCATIOND_LOCATION_HAS_VERTICAL_ACCURACY (UINT64_C(1) << 5)
#define LOCATIOND_LOCATION_HAS_SPEED (UINT64_C(1) << 6)
#define LOCATIOND_LOCATION_HAS_SPEED_ACCURACY (UINT64_C(1) << 7)
#define LOCATIOND_LOCATION_HAS_COURSE (UINT64_C(1) << 8)
#define LOCATIOND_LOCATION_HAS_COURSE_ACCURACY (UINT64_C(1) << 9)
#define LOCATIOND_LOCATION_HAS_CLIMB (UINT64_C(1) << 10)
#define LOCATIOND_LOCATION_HAS_CLIMB_ACCURACY (UINT64_C(1) << 11)
#define LOCATIOND_LOCATION_HAS_MAGNETIC_VARIATION (UINT64_C(1) << 12)
#define LOCATIOND_LOCATION_HAS_SATELLITES_USED (UINT64_C(1) << 13)
#define LOCATIOND_LOCATION_HAS_HDOP (UINT64_C(1) << 14)
#define LOCATIOND_LOCATION_HAS_VDOP (UINT64_C(1) << 15)
#define LOCATIOND_LOCATION_HAS_PDOP (UINT64_C(1) << 16)
#define LOCATIOND_LOCATION_HAS_JAMMING (UINT64_C(1) << 17)
#define LOCATIOND_LOCATION_HAS_TIMESTAMP (UINT64_C(1) << 18)
#define LOCATIOND_LOCATION_HAS_TIMESTAMP_IMPLAUSIBLE (UINT64_C(1) << 19)

/** One fix. */
struct locationd_location {
    uint64_t present;               /**< LOCATIOND_LOCATION_HAS_… */
    double latitude;                /**< Degrees north, -90 to 90. */
    double longitude;               /**< Degrees east, -180 to 180. */
    /** Radius of the circle that contains the position, metres, as the receiver estimates it, not negative. */
    double horizontal_accuracy;
    enum locationd_accuracy_basis accuracy_basis; /**< Where a horizontal accuracy comes from. */
    enum locationd_mode mode;       /**< The dimensions of a fix. */
    enum locationd_augmentation augmentation; /**< What improved a fix. */
    enum locationd_antenna antenna; /**< The state of a receiver's antenna. */
    enum locationd_implausible implausible; /**< The rule by which a fix is not believed. */
    enum locationd_basis basis;     /**< How an estimate was made. */
    double altitude;                /**< Metres above mean sea level. */
    double ellipsoidal_altitude;    /**< Metres above the WGS 84 ellipsoid. */
    /** Height of mean sea level above the ellipsoid, metres, as the receiver or gpsd has used it. */
    double geoid_separation;
    double vertical_accuracy;       /**< Uncertainty of the altitudes, metres, not negative. */
    double speed;                   /**< Over ground, metres per second, not negative. */
    double speed_accuracy;          /**< Metres per second, not negative. */
    double course;                  /**< Direction of travel, degrees, 0 to below 360. */
    double course_accuracy;         /**< Degrees, not negative. */
    double climb;                   /**< Vertical speed, metres per second, up is positive. */
    double climb_accuracy;          /**< Metres per second, not negative. */
    double magnetic_variation;      /**< Magnetic north, degrees east of true north. */
    double hdop;                    /**< Horizontal dilution of precision, not negative. */
    double vdop;                    /**< Vertical dilution of precision, not negative. */
    double pdop;                    /**< Dilution of precision in all three dimensions, not negative. */
    int32_t satellites_used;        /**< Satellites used for the fix, not negative. */
    /** The receiver's own jamming indicator, 0 (none) to 255, if it has one and gpsd is 3.26 or later. */
    int32_t jamming;
    /**
     * The receiver's time of the fix; absent if it has none. It may run backwards; see `age`. Milliseconds since
     * 1970-01-01 00:00 UTC.
     */
    int64_t timestamp;
    /** True if that is far from the daemon's synchronized clock; the position and `age` are right all the same. */
    bool timestamp_implausible;
    /** Seconds since the daemon received the fix, when the reply was sent. Now: locationd_age(). */
    double age;
    /**
     * When the daemon received it, in seconds of `CLOCK_BOOTTIME`: the present time of that clock minus this is the
     * present age.
     */
    double monotonic_time;
    int64_t sequence;               /**< The daemon's number of the fix; it rises strictly, also over restarts. */
    struct locationd_source source; /**< The source of the fix. */
    /** The error's ellipse, where the receiver gives more than a circle. */
    struct locationd_error_ellipse error_ellipse;
};

#define LOCATIOND_HEADING_HAS_TRUE_HEADING (UINT64_C(1) << 0)
#define LOCATIOND_HEADING_HAS_MAGNETIC_HEADING (UINT64_C(1) << 1)
#define LOCATIOND_HEADING_HAS_ACCURACY (UINT64_C(1) << 2)
#define LOCATIOND_HEADING_HAS_PITCH (UINT64_C(1) << 3)
#define LOCATIOND_HEADING_HAS_ROLL (UINT64_C(1) << 4)
#define LOCATIOND_HEADING_HAS_TIMESTAMP (UINT64_C(1) << 5)

/** The direction in which the device points, from a compass; not the direction in which it moves. */
struct locationd_heading {
    uint64_t present;        /**< LOCATIOND_HEADING_HAS_… */
    double true_heading;     /**< Degrees, 0 to below 360. */
    double magnetic_heading; /**< Degrees from magnetic north, 0 to below 360. */
    double accuracy;         /**< Uncertainty of the headings, degrees, not negative. */
    double pitch;            /**< Degrees, -90 to 90, nose up is positive. */
    double roll;             /**< Degrees, -180 to 180, right side down is positive. */
    int64_t timestamp;       /**< The sensor's time. Milliseconds since 1970-01-01 00:00 UTC. */
    double age;              /**< Seconds since the daemon received it, when the reply was sent. */
};

#define LOCATIOND_SATELLITE_HAS_AZIMUTH (UINT64_C(1) << 0)
#define LOCATIOND_SATELLITE_HAS_ELEVATION (UINT64_C(1) << 1)
#define LOCATIOND_SATELLITE_HAS_SIGNAL (UINT64_C(1) << 2)

/** A satellite in view. */
struct locationd_satellite {
    uint64_t present; /**< LOCATIOND_SATELLITE_HAS_… */
    char gnss[16];    /**< Its system: GPS, SBAS, Galileo, BeiDou, IMES, QZSS, GLONASS, NavIC or unknown. */
    int32_t id;       /**< Its number within the system, from 1. */
    bool used;        /**< Whether it is used for the fix. */
    double azimuth;   /**< Degrees, 0 to below 360. */
    double elevation; /**< Degrees above the horizon, -90 to 90. */
    double signal;    /**< Carrier to noise density, dB-Hz. */
};

#define LOCATIOND_RANKED_SOURCE_HAS_REASON (UINT64_C(1) << 0)
#define LOCATIOND_RANKED_SOURCE_HAS_FIX_AGE (UINT64_C(1) << 1)

/** One of several configured sources. */
struct locationd_ranked_source {
    uint64_t present;                  /**< LOCATIOND_RANKED_SOURCE_HAS_… */
    enum locationd_source_state state; /**< Its own state. */
    double fix_age;                    /**< Seconds since the daemon received its newest fix. */
    char name[128];                    /**< Its name in the configuration. */
    /** Why it has no fix and what to do, or why it is not used although it has one, as text for a person. */
    char reason[512];
};

#define LOCATIOND_STATUS_HAS_REASON (UINT64_C(1) << 0)
#define LOCATIOND_STATUS_HAS_FIX_AGE (UINT64_C(1) << 1)
#define LOCATIOND_STATUS_HAS_SATELLITES_VISIBLE (UINT64_C(1) << 2)
#define LOCATIOND_STATUS_HAS_SATELLITES_USED (UINT64_C(1) << 3)
#define LOCATIOND_STATUS_HAS_FULL_ACCURACY_PENDING (UINT64_C(1) << 4)
#define LOCATIOND_STATUS_HAS_AUTHORIZATION_REMAINING (UINT64_C(1) << 5)
#define LOCATIOND_STATUS_HAS_STATIONARY (UINT64_C(1) << 6)
#define LOCATIOND_STATUS_HAS_PAUSED (UINT64_C(1) << 7)
#define LOCATIOND_STATUS_HAS_HEADING_AVAILABLE (UINT64_C(1) << 8)
#define LOCATIOND_STATUS_HAS_SOURCE_NAME (UINT64_C(1) << 9)
#define LOCATIOND_STATUS_HAS_SOURCES (UINT64_C(1) << 10)
#define LOCATIOND_STATUS_HAS_COMPASSES (UINT64_C(1) << 11)

/** Whether there is a fix for the program, or why there is none. */
struct locationd_status {
    uint64_t present;                   /**< LOCATIOND_STATUS_HAS_… */
    /** False in the status of an outage, which the library makes; see locationd_watch(). */
    bool connected;
    bool enabled;                       /**< Whether the administrator's master switch is on. */
    bool authorization_pending;         /**< Whether a request of the client waits for a decision. */
    bool full_accuracy_pending;         /**< Whether a request of the client for full accuracy waits for a decision. */
    /**
     * True if the machine has stood at one place for a minute: within 20 metres and the fixes' accuracy, and with no
     * speed that is certainly above 1 m/s.
     */
    bool stationary;
    bool paused;                        /**< True for a watch that is paused, see `pauses_automatically`. */
    /** Whether a compass sends reports, or one is configured and has not failed; false if it has. */
    bool heading_available;
    enum locationd_authorization authorization; /**< Whether a client may know the position. */
    enum locationd_accuracy accuracy;   /**< How precisely a client may know the position. */
    enum locationd_source_state source; /**< What the source of the locations does. */
    int32_t satellites_visible;         /**< Satellites in view, not negative. */
    int32_t satellites_used;            /**< Satellites used for the fix, not negative. */
    double fix_age;                     /**< Seconds since the daemon received the newest fix. */
    /** Seconds until an authorization that was granted for a while ends, at sending. */
    double authorization_remaining;
    char reason[512];                   /**< Why there is no fix and what to do, as text for a person. */
    char source_name[128];              /**< The source whose fixes are delivered. */
    /** All sources by rank, the preferred one first, if several are configured. */
    const struct locationd_ranked_source *const *sources;
    size_t source_count;                /**< The number of `sources`, at most 256. */
    /** The sources of headings alone, if any are configured; one is `tracking` while its headings are sent. */
    const struct locationd_ranked_source *const *compasses;
    size_t compass_count;               /**< The number of `compasses`, likewise. */
};

/** A position on WGS 84, which is sent with 7 decimals, about a centimetre. This struct does not grow. */
struct locationd_coordinate {
    double latitude;  /**< Degrees north, -90 to 90. */
    double longitude; /**< Degrees east, -180 to 180. */
};

#define LOCATIOND_REGION_HAS_CENTER (UINT64_C(1) << 0)
#define LOCATIOND_REGION_HAS_RADIUS (UINT64_C(1) << 1)
#define LOCATIOND_REGION_HAS_DWELL (UINT64_C(1) << 2)

/**
 * An area to monitor: either a circle, by `center` and `radius`, or a polygon. Zero it before use.
 *
 * All regions of one call have to fit into the daemon's `request-size`, see locationd.toml(5), 65536 bytes by default and 16384 at
 * most for a program that is denied or restricted: about 50 bytes for a corner, and 100 and the identifier for a region. Else
 * the daemon refuses them by LOCATIOND_ERROR_INVALID_PARAMETER; locationd_change_regions() adds to a named monitor in several calls.
 */
struct locationd_region {
    uint64_t present;                   /**< LOCATIOND_REGION_HAS_… */
    const char *identifier;             /**< 1 to 256 bytes without control characters, unique in the monitor. */
    struct locationd_coordinate center; /**< The centre of a circle. */
    double radius;                      /**< Metres, 1 to 10000000. */
    /** Seconds inside without a break, 1 to 86400, after which a dwell is reported. */
    double dwell;
    /** 3 to 1000 corners, rounded to 1e-7 degrees, which is a centimetre. */
    const struct locationd_coordinate *polygon;
    size_t polygon_count;               /**< The number of corners. */
};

#define LOCATIOND_REGION_REPORT_HAS_LOCATION (UINT64_C(1) << 0)

/** On which side of a region's border the machine is. */
struct locationd_region_report {
    uint64_t present;                  /**< LOCATIOND_REGION_REPORT_HAS_… */
    enum locationd_region_state state; /**< On which side of a region's border the machine is. */
    enum locationd_region_event event; /**< The event that caused a report. */
    char identifier[260];              /**< The region's identifier. */
    const struct locationd_location *location; /**< The fix that decided it; absent while the state is unknown. */
};

#define LOCATIOND_VISIT_HAS_ARRIVAL (UINT64_C(1) << 0)
#define LOCATIOND_VISIT_HAS_DEPARTURE (UINT64_C(1) << 1)

/** A stay at one place. */
struct locationd_visit {
    uint64_t present;           /**< LOCATIOND_VISIT_HAS_… */
    double latitude;            /**< Degrees north, of the centre of its fixes, -90 to 90. */
    double longitude;           /**< Degrees east, -180 to 180. */
    double horizontal_accuracy; /**< Metres; the radius of the circle that contains its fixes, not negative. */
    int64_t arrival;            /**< When it began, UTC of the receiver. Milliseconds since 1970-01-01 00:00 UTC. */
    int64_t departure;          /**< When it ended. Milliseconds since 1970-01-01 00:00 UTC. */
    bool is_present;            /**< Whether it has not ended. */
    uint8_t reserved[7];
};

/** What an update has. */
enum locationd_update_kind {
    LOCATIOND_UPDATE_NONE,       /**< Nothing: the function did not return 1. */
    LOCATIOND_UPDATE_STATUS,     /**< `status` */
    LOCATIOND_UPDATE_LOCATION,   /**< `location`; of a monitor: the location after a significant change */
    LOCATIOND_UPDATE_HEADING,    /**< `heading` */
    LOCATIOND_UPDATE_SATELLITES, /**< `satellites`, which may be none */
    LOCATIOND_UPDATE_REGION,     /**< `region` */
    LOCATIOND_UPDATE_VISIT       /**< `visit` */
};

/** One update of a watch or monitor. The pointers but that of its kind are NULL; a program skips kinds it does not know. */
struct locationd_update {
    enum locationd_update_kind kind;
    const struct locationd_status *status;
    const struct locationd_location *location;
    const struct locationd_heading *heading;
    const struct locationd_satellite *const *satellites;
    size_t satellite_count;
    const struct locationd_region_report *region;
    const struct locationd_visit *visit;
};

#define LOCATIOND_GET_HAS_MAXIMUM_AGE (UINT64_C(1) << 0)
#define LOCATIOND_GET_HAS_TIMEOUT (UINT64_C(1) << 1)
#define LOCATIOND_GET_HAS_REQUIRED_ACCURACY (UINT64_C(1) << 2)
#define LOCATIOND_GET_HAS_PASSIVE (UINT64_C(1) << 3)
#define LOCATIOND_GET_HAS_ESTIMATE (UINT64_C(1) << 4)

/**
 * Options of locationd_get(). As in all options: a number or boolean is sent if its bit is set in `present`, a text, array or
 * pointer if it is not NULL, an enumeration if it is not 0; what is not sent has the daemon's default. A number or boolean
 * that is not 0 without its bit is LOCATIOND_ERROR_INVALID_ARGUMENT, so that a forgotten bit is not silent.
 */
struct locationd_get_options {
    size_t size;              /**< Set by LOCATIOND_GET_OPTIONS_INIT. */
    uint64_t present;         /**< LOCATIOND_GET_HAS_… */
    /**
     * Seconds; the maximum age of the location. Default: 0, a new fix, or the network position that a provider still
     * tells, however old its measurement.
     */
    double maximum_age;
    double timeout;           /**< Seconds to wait at most, 0 to 86400. Default: 30. */
    double required_accuracy; /**< Metres, more than 0; the horizontal accuracy to wait for. */
    bool passive;             /**< Whether to wait without starting the receiver. Default: false. */
    /**
     * Whether the location is an estimate, as of `Watch`, of the fix that answers; never a prediction. Default: false.
     */
    bool estimate;
    uint8_t reserved[6];
};

#define LOCATIOND_WATCH_HAS_DISTANCE_FILTER (UINT64_C(1) << 0)
#define LOCATIOND_WATCH_HAS_REQUIRED_ACCURACY (UINT64_C(1) << 1)
#define LOCATIOND_WATCH_HAS_DESIRED_ACCURACY (UINT64_C(1) << 2)
#define LOCATIOND_WATCH_HAS_MINIMUM_INTERVAL (UINT64_C(1) << 3)
#define LOCATIOND_WATCH_HAS_INTERVAL (UINT64_C(1) << 4)
#define LOCATIOND_WATCH_HAS_MAXIMUM_DELAY (UINT64_C(1) << 5)
#define LOCATIOND_WATCH_HAS_PAUSES_AUTOMATICALLY (UINT64_C(1) << 6)
#define LOCATIOND_WATCH_HAS_MAXIMUM_UPDATES (UINT64_C(1) << 7)
#define LOCATIOND_WATCH_HAS_DURATION (UINT64_C(1) << 8)
#define LOCATIOND_WATCH_HAS_LOCATION (UINT64_C(1) << 9)
#define LOCATIOND_WATCH_HAS_HEADING (UINT64_C(1) << 10)
#define LOCATIOND_WATCH_HAS_HEADING_FILTER (UINT64_C(1) << 11)
#define LOCATIOND_WATCH_HAS_SATELLITES (UINT64_C(1) << 12)
#define LOCATIOND_WATCH_HAS_PASSIVE (UINT64_C(1) << 13)
#define LOCATIOND_WATCH_HAS_EVERY_SOURCE (UINT64_C(1) << 14)
#define LOCATIOND_WATCH_HAS_ESTIMATE (UINT64_C(1) << 15)
#define LOCATIOND_WATCH_HAS_REDUCED_ACCURACY (UINT64_C(1) << 16)

/** Options of locationd_watch(); org.locationd.location(7) explains each in full. */
struct locationd_watch_options {
    size_t size;               /**< Set by LOCATIOND_WATCH_OPTIONS_INIT. */
    uint64_t present;          /**< LOCATIOND_WATCH_HAS_… */
    double distance_filter;    /**< Minimum distance in metres between two locations. */
    double required_accuracy;  /**< Metres, more than 0; holds back locations that are worse, or of unknown accuracy. */
    double desired_accuracy;   /**< Metres, more than 0; which of several sources is followed. Filters nothing. */
    double minimum_interval;   /**< Minimum interval in seconds between two locations. */
    double interval;           /**< How often a location is wanted, in seconds, more than 0 and at most 31536000. */
    /**
     * Seconds for which a location may be held back, more than 0 and at most 3600, so that several are sent together
     * and the client's processor can sleep in between.
     */
    double maximum_delay;
    /** Seconds after which the watch ends, more than 0 and at most 31536000; anew after an outage. */
    double duration;
    double heading_filter;     /**< Degrees, 0 to 180; only with `heading`. */
    /** Number of locations after which the watch ends, 1 or more; it counts over outages. */
    int64_t maximum_updates;
    enum locationd_activity_type activity_type; /**< What the position is used for. */
    bool pauses_automatically; /**< Whether the watch pauses while the machine is stationary. Default: false. */
    bool location;             /**< Whether to send locations. Default: true. */
    bool heading;              /**< Whether to send headings. Default: false. */
    bool satellites;           /**< Whether to send the satellites in view. Default: false. */
    /** Whether to receive the locations that other clients request, without starting the receiver. Default: false. */
    bool passive;
    /** Whether to send every receiver's fixes instead of those of the followed one. Default: false. */
    bool every_source;
    /**
     * Whether to send estimates in place of fixes: position, speed and course combined over time by their accuracies.
     * Default: false.
     */
    bool estimate;
    /**
     * Whether `accuracy` is `reduced` for this watch, though the client may know more; the cells are then those of the
     * positions themselves, without the displacement that protects the position from clients with no more than reduced
     * accuracy. Default: false.
     */
    bool reduced_accuracy;
    const char *purpose;       /**< The purpose, at most 256 bytes; shown to administrators. */
};

#define LOCATIOND_SIGNIFICANT_CHANGE_HAS_DISTANCE (UINT64_C(1) << 0)
#define LOCATIOND_SIGNIFICANT_CHANGE_HAS_INTERVAL (UINT64_C(1) << 1)

/** When a location is reported as a significant change. */
struct locationd_significant_change {
    size_t size;      /**< Set by LOCATIOND_SIGNIFICANT_CHANGE_INIT. */
    uint64_t present; /**< LOCATIOND_SIGNIFICANT_CHANGE_HAS_… */
    double distance;  /**< Metres from the last reported location, 100 to 1000000. Default: 500. */
    /** Seconds since then, 60 to 86400, after which a location is reported at any distance. Default: never. */
    double interval;
};

#define LOCATIOND_MONITOR_HAS_VISITS (UINT64_C(1) << 0)
#define LOCATIOND_MONITOR_HAS_PASSIVE (UINT64_C(1) << 1)

/** Options of locationd_monitor(). */
struct locationd_monitor_options {
    size_t size;         /**< Set by LOCATIOND_MONITOR_OPTIONS_INIT. */
    size_t region_size;  /**< The size of one region; set by LOCATIOND_MONITOR_OPTIONS_INIT. */
    uint64_t present;    /**< LOCATIOND_MONITOR_HAS_… */
    /** 1 to 128 bytes without control characters; persists the monitor under this name for the user. */
    const char *name;
    const struct locationd_region *regions; /**< The regions to monitor. Not NULL with a count of 0: explicitly none. */
    size_t region_count; /**< The number of `regions`. */
    const struct locationd_significant_change *significant_change; /**< The significant change to monitor. */
    bool visits;         /**< Whether to monitor visits. Default: false. */
    /** Whether to use the fixes that other clients request, without starting the receiver. Default: false. */
    bool passive;
    const char *purpose; /**< The purpose, at most 256 bytes; shown to administrators. */
};

/** Changes of a named monitor, for locationd_change_regions(). */
struct locationd_region_changes {
    size_t size;                        /**< Set by LOCATIOND_REGION_CHANGES_INIT. */
    size_t region_size;                 /**< The size of one region; set by LOCATIOND_REGION_CHANGES_INIT. */
    const char *name;                   /**< The monitor's name; required. */
    const struct locationd_region *add; /**< Regions to add. */
    size_t add_count;                   /**< The number of `add`. */
    const char *const *remove;          /**< Identifiers of regions to remove; unknown ones are ignored. */
    size_t remove_count;                /**< The number of `remove`. */
};

#define LOCATIOND_AUTHORIZATION_HAS_FULL_ACCURACY (UINT64_C(1) << 0)
#define LOCATIOND_AUTHORIZATION_HAS_TIMEOUT (UINT64_C(1) << 1)

/** Options of locationd_request_authorization(). */
struct locationd_authorization_options {
    size_t size;                /**< Set by LOCATIOND_AUTHORIZATION_OPTIONS_INIT. */
    uint64_t present;           /**< LOCATIOND_AUTHORIZATION_HAS_… */
    enum locationd_level level; /**< What is requested. Default: when in use. */
    bool full_accuracy;         /**< Whether full accuracy is requested too. Default: false. */
    const char *purpose;        /**< The purpose, at most 256 bytes; shown to administrators. */
    const char *program;        /**< What the program calls itself, 1 to 128 bytes; shown to the user who decides. */
    /**
     * Seconds to wait for the decision, 0 to 1000000000, but up to 10 seconds until the daemon has answered at all.
     * Default: for ever. It is not sent.
     */
    double timeout;
};

/* What options begin as. */
#ifndef __cplusplus
#define LOCATIOND_GET_OPTIONS_INIT { .size = sizeof(struct locationd_get_options) }
#define LOCATIOND_WATCH_OPTIONS_INIT { .size = sizeof(struct locationd_watch_options) }
#define LOCATIOND_SIGNIFICANT_CHANGE_INIT { .size = sizeof(struct locationd_significant_change) }
#define LOCATIOND_MONITOR_OPTIONS_INIT \
    { .size = sizeof(struct locationd_monitor_options), .region_size = sizeof(struct locationd_region) }
#define LOCATIOND_REGION_CHANGES_INIT \
    { .size = sizeof(struct locationd_region_changes), .region_size = sizeof(struct locationd_region) }
#define LOCATIOND_AUTHORIZATION_OPTIONS_INIT { .size = sizeof(struct locationd_authorization_options) }
#else
/* C++11 has no designated initializers. The functions are static, so that parts of a program that were compiled with headers of
   different versions do not share them. */
extern "C++" {
namespace locationd_detail {
template <typename Options> static inline Options initial() {
    Options options = Options();
    options.size = sizeof options;
    return options;
}
template <typename Options> static inline Options initial_with_regions() {
    Options options = initial<Options>();
    options.region_size = sizeof(struct locationd_region);
    return options;
}
}
}
#define LOCATIOND_GET_OPTIONS_INIT locationd_detail::initial<struct locationd_get_options>()
#define LOCATIOND_WATCH_OPTIONS_INIT locationd_detail::initial<struct locationd_watch_options>()
#define LOCATIOND_SIGNIFICANT_CHANGE_INIT locationd_detail::initial<struct locationd_significant_change>()
#define LOCATIOND_MONITOR_OPTIONS_INIT locationd_detail::initial_with_regions<struct locationd_monitor_options>()
#define LOCATIOND_REGION_CHANGES_INIT locationd_detail::initial_with_regions<struct locationd_region_changes>()
#define LOCATIOND_AUTHORIZATION_OPTIONS_INIT locationd_detail::initial<struct locationd_authorization_options>()
#endif

/**
 * Makes a handle; connects to nothing yet.
 *
 * @param handle receives the handle, or NULL on failure. Give it back by locationd_close().
 * @param path the daemon's socket. NULL: $LOCATIOND_SOCKET (not in set-user-ID programs), or else
 *   /run/locationd/locationd.sock.
 * @return 0, LOCATIOND_ERROR_INVALID_ARGUMENT (the path is empty or too long for a socket) or LOCATIOND_ERROR_NO_MEMORY.
 */
int locationd_open(struct locationd **handle, const char *path);

/** Ends what the handle does and frees it. NULL is ignored. In another process than that of locationd_open() it only frees. */
void locationd_close(struct locationd *handle);

/**
 * Requests one location and waits for it: the daemon's timeout and 10 seconds more at most.
 *
 * It uses a connection of its own, also beside a watch of the same handle.
 *
 * @param options NULL: the defaults.
 * @param location receives the location.
 * @param size sizeof *location.
 * @return 0, or an error, then `location` is unchanged: UNREACHABLE, NOT_AUTHORIZED, DISABLED, LOCATION_UNAVAILABLE, TIMED_OUT,
 *   INTERRUPTED …; after LOCATION_UNAVAILABLE and TIMED_OUT locationd_best() has a location that did not meet the request.
 */
int locationd_get(struct locationd *handle, const struct locationd_get_options *options, struct locationd_location *location,
                  size_t size);

/**
 * The location that did not meet the last call of locationd_get(), if that has failed by TIMED_OUT or LOCATION_UNAVAILABLE and the
 * daemon has one, or else NULL. Valid until the next call with the handle.
 */
const struct locationd_location *locationd_best(struct locationd *handle);

/**
 * Asks for the present state, within 10 seconds. Every program may; it starts no receiver.
 *
 * @param status receives the state. Its arrays are valid until the next call with the handle.
 * @param size sizeof *status.
 * @return 0, or an error, then `status` is unchanged.
 */
int locationd_status(struct locationd *handle, struct locationd_status *status, size_t size);

/**
 * Requests to know the position and waits for the decision, which may take days.
 *
 * A daemon that stops meanwhile has decided nothing: UNREACHABLE; the request may be made again. A program that cannot wait
 * sets `timeout` to 0 and learns of the decision by the statuses of its watch.
 *
 * @param options NULL: the defaults.
 * @param status receives the state after the decision: whether it was a grant is in `authorization`. After TIMED_OUT it is
 *   the state so far, with `authorization_pending`; after any other error it is unchanged.
 * @param size sizeof *status.
 * @return 0 with a decision, TIMED_OUT if there is none in `timeout`, UNREACHABLE if the daemon has not answered at all within 10
 *   seconds, however short `timeout` is, INTERRUPTED, or another error.
 */
int locationd_request_authorization(struct locationd *handle, const struct locationd_authorization_options *options,
                                    struct locationd_status *status, size_t size);

/**
 * Starts a watch: locations, and on request headings and satellites, until it ends or locationd_stop(). It returns at once;
 * locationd_next() or locationd_process() give the updates.
 *
 * A watch outlives the daemon. When the service cannot be reached, at the start too, there is one update with the *status of
 * the outage*: `connected` is false, `source` is LOCATIOND_SOURCE_UNAVAILABLE, `reason` is a sentence; `authorization`,
 * `accuracy`, `enabled` and what is pending are as last heard (UNKNOWN, and enabled, if nothing was). The library then tries
 * to reconnect, after pauses of 0.25 seconds, doubling up to 10, each drawn at random between its half and the whole; after a connection
 * that had an answer the first pause is drawn between 0.25 and 1.5. After a daemon has announced its stop by a status with the reason "stopping" there is a status of the outage only if the first attempt fails. No location is given out
 * twice: each has a greater `sequence` than the one before, unless the daemon has lost its state and counts anew.
 *
 * It ends with LOCATIOND_ERROR_ENDED after `maximum_updates` or `duration`, or with the error by which the daemon refuses it.
 *
 * @param options NULL: the defaults. The library keeps a copy.
 * @return 0, BUSY, INVALID_ARGUMENT or NO_MEMORY.
 */
int locationd_watch(struct locationd *handle, const struct locationd_watch_options *options);

/**
 * Starts to monitor regions, significant changes and visits; otherwise as locationd_watch(). A monitor with a name is resumed
 * by its name after an outage, with what locationd_change_regions() has changed meanwhile.
 *
 * @param options What to monitor. The library keeps a copy.
 * @return 0, BUSY, INVALID_ARGUMENT or NO_MEMORY.
 */
int locationd_monitor(struct locationd *handle, const struct locationd_monitor_options *options);

/** Ends the watch or monitor, or forgets one that has ended, so that another can be started. Returns 0, also if there is none. */
int locationd_stop(struct locationd *handle);

/** Changes the regions of a named monitor, whether it is active or not, within 10 seconds. Returns 0 or an error. */
int locationd_change_regions(struct locationd *handle, const struct locationd_region_changes *changes);

/** Removes a named monitor, within 10 seconds; who uses it gets LOCATIOND_ERROR_NO_SUCH_MONITOR. Returns 0 or an error. */
int locationd_remove_monitor(struct locationd *handle, const char *name);

/**
 * Waits for the next update of the watch or monitor.
 *
 * @param update receives the update; its objects are valid until the next call with the handle.
 * @param size sizeof *update.
 * @param timeout_ms milliseconds to wait at most; 0: not at all; negative: for ever.
 * @return 1 with an update; 0 after the timeout; INTERRUPTED if a signal's handler ran while the function slept, and not if that
 *   was just before, or while it read: see locationd_process(3); NOT_WATCHING, INVALID_ARGUMENT; or the error that has ended the
 *   watch, each time again. An outage is an update, no error.
 */
int locationd_next(struct locationd *handle, struct locationd_update *update, size_t size, int timeout_ms);

/**
 * The descriptor for poll(2), select(2) or epoll(7), which is the same for the life of the handle. Do nothing else with it.
 *
 * It is readable when locationd_process() has something to do, which may be that a deadline has passed. It is not any more
 * when that has returned 0, until something arrives, unless the daemon sends so much that it has returned in between; nor
 * after the error that has ended the watch.
 */
int locationd_fd(struct locationd *handle);

/** The events to poll locationd_fd() for: POLLIN. */
int locationd_events(struct locationd *handle);

/**
 * Does what can be done without waiting, and gives the next update. After 1 there may be more; locationd_fd() is readable then.
 *
 * @param update receives the update; its objects are valid until the next call with the handle.
 * @param size sizeof *update.
 * @return 1 with an update; 0 if there is none yet; NOT_WATCHING, INVALID_ARGUMENT; or the error that has ended the watch, each
 *   time again.
 */
int locationd_process(struct locationd *handle, struct locationd_update *update, size_t size);

/**
 * The sentence about the last error of the handle, never NULL; empty if there was none, or if `handle` is NULL, as after a failed
 * locationd_open(). Valid until the next call with the handle.
 */
const char *locationd_error_message(struct locationd *handle);

/** What an error of enum locationd_error means in general, in English; that of locationd_open() too. Never NULL. */
const char *locationd_strerror(int error);

/** The locations that the daemon has dropped because this handle was read too slowly, over all its watches and outages. */
uint64_t locationd_dropped(struct locationd *handle);

/** The age of a location now, seconds, by CLOCK_BOOTTIME, so that a suspended machine's sleep counts. Not negative. */
double locationd_age(const struct locationd_location *location);

#ifdef __cplusplus
}
#endif

#endif
