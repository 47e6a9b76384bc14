// The functions of libsystemd that tell who is logged in (sd-login(3)), found at run time.
// Whoever does not ask carries neither that library nor the five it needs; where it is missing, that is an answer too.
// As in CLinux no header beyond the fixed-width integers is included; <systemd/sd-login.h> is not needed to build.
#ifndef CSYSTEMD_H
#define CSYSTEMD_H

#include <stddef.h>
#include <stdint.h>

/// A watch over the login manager's records; libsystemd's own type, of which only the address is known.
struct sd_login_monitor;

/// What libsystemd offers from version 201 on, with its own signatures: results below zero are negative errno.
/// The functions are for any thread; a monitor is for one thread at a time.
struct csystemd {
    /// The state of a user, to be given back to free(); "offline" if the login manager knows nothing of them.
    int (*uid_get_state)(uint32_t uid, char **state);
    int (*login_monitor_new)(const char *category, struct sd_login_monitor **monitor);
    struct sd_login_monitor *(*login_monitor_unref)(struct sd_login_monitor *monitor);
    /// Takes what has come, so that the descriptor is readable by the next change only.
    int (*login_monitor_flush)(struct sd_login_monitor *monitor);
    int (*login_monitor_get_fd)(struct sd_login_monitor *monitor);
    int (*login_monitor_get_events)(struct sd_login_monitor *monitor);
    /// When to stop waiting at the latest: microseconds of CLOCK_MONOTONIC, or UINT64_MAX for never.
    int (*login_monitor_get_timeout)(struct sd_login_monitor *monitor, uint64_t *microseconds);
};

/// Loads the library of that name and finds its functions. Returns 0, or -1 if there is no such library here or one of
/// the functions is missing. Once loaded it stays so: no time is safe to take away what other threads may be running.
int csystemd_load(const char *name, struct csystemd *functions);

#endif
