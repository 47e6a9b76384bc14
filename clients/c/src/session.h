/*
 * The life of a watch or monitor over the daemon's ends: a state machine without I/O, given the time with each input.
 * Times are nanoseconds of CLOCK_MONOTONIC: a suspended machine is not silent.
 */
#ifndef LOCATIOND_SESSION_H
#define LOCATIOND_SESSION_H

#include <stdbool.h>
#include <stdint.h>

struct locationd_location;

/// The time of a deadline that never comes.
#define SESSION_NEVER INT64_MAX
#define SESSION_MILLISECOND INT64_C(1000000)

enum session_state {
    SESSION_IDLE,     ///< There is neither a watch nor a monitor.
    SESSION_WAITING,  ///< The next attempt to connect is due at `deadline`.
    SESSION_CALLING,  ///< Connected; the first reply has to come before `deadline`.
    SESSION_STREAMING, ///< The first reply has come; silence is no fault any more.
    SESSION_ENDED     ///< By the program's own limit, or an error.
};

/// The delays; tests have shorter ones.
struct session_timing {
    int64_t first_delay, longest_delay; ///< The back-off's.
    int64_t spread;                     ///< Times the first delay: the longest after a connection that had an answer.
    int64_t silence;                    ///< Until a connect or a first reply is given up.
    int64_t full_delay;                 ///< Until a connect to a daemon that is behind in accepting is tried again.
    double (*draw)(void);               ///< A number of 0 to 1.
};
extern const struct session_timing session_standard_timing;

struct session {
    struct session_timing timing;
    enum session_state state;
    int64_t deadline;
    int64_t delay;              ///< The longest of the next back-off.
    bool is_fresh;              ///< Whether there was an answer since the last back-off.
    int64_t full_since;         ///< When the daemon was first found not to accept, or SESSION_NEVER.
    bool is_reported;           ///< Whether the present outage has had its status.
    bool has_answered;          ///< Whether there was ever a good reply.
    int64_t remaining;          ///< Locations until the end; 0: without end.
    bool has_location;          ///< Whether the following two are of a location that was given out.
    int64_t sequence;
    double monotonic_time;
};

/// Begins; the first attempt to connect is due at once. `maximum_updates` is 0 for no maximum.
void session_start(struct session *session, int64_t now, int64_t maximum_updates);
void session_end(struct session *session);
void session_reset(struct session *session);

/// The connection is made and the call is on its way.
void session_connected(struct session *session, int64_t now);

/// The daemon is behind in accepting; false if it has been for too long, which is an outage.
bool session_retry(struct session *session, int64_t now);

/// A good reply has come: the outage, if there was one, is over.
void session_replied(struct session *session);

/// The connection is lost, or was not made. True if this outage is to be reported: it is a new one.
bool session_lost(struct session *session, int64_t now);

/// The daemon has announced its end, or ended the call before all was delivered: it is called again, and nothing reported yet.
void session_suspended(struct session *session, int64_t now);

/// Whether the deadline has passed.
bool session_is_due(const struct session *session, int64_t now);

/// Whether a location is new, and if so counts it as given out. It may be the last one, which ends the session.
bool session_accepts(struct session *session, const struct locationd_location *location);

#endif
