// The functions of libsystemd that report login sessions (sd-login(3)), loaded at run time.
// A process that does not use them loads neither that library nor the five it needs, and the library may be missing.
// As in CLinux no header beyond the fixed-width integers is included; <systemd/sd-login.h> is not needed to build.
#ifndef CSYSTEMD_H
#define CSYSTEMD_H

#include <stddef.h>
#include <stdint.h>

#include "CSystemdBus.h"

/// A monitor of the login manager's records; an opaque type of libsystemd.
struct sd_login_monitor;

/// The functions of libsystemd since version 201, with its own signatures: negative results are negated errno values.
/// Any thread may call the functions; only one thread at a time may use a monitor.
struct csystemd {
    /// The state of a user, to be freed with free(); "offline" if the login manager has no record of the user.
    int (*uid_get_state)(uint32_t uid, char **state);
    int (*login_monitor_new)(const char *category, struct sd_login_monitor **monitor);
    struct sd_login_monitor *(*login_monitor_unref)(struct sd_login_monitor *monitor);
    /// Consumes the pending changes, so that the descriptor is readable again only after the next change.
    int (*login_monitor_flush)(struct sd_login_monitor *monitor);
    int (*login_monitor_get_fd)(struct sd_login_monitor *monitor);
    int (*login_monitor_get_events)(struct sd_login_monitor *monitor);
    /// The latest time to stop waiting: microseconds of CLOCK_MONOTONIC, or UINT64_MAX for never.
    int (*login_monitor_get_timeout)(struct sd_login_monitor *monitor, uint64_t *microseconds);
};

/// Loads the library of that name and finds its functions. Returns 0, or -1 if there is no such library or one of the
/// functions is missing. The library is never unloaded, because other threads may be running its code at any time.
int csystemd_load(const char *name, struct csystemd *functions);

#endif
