#include "session.h"

#include <sys/random.h>

#include "locationd.h"

/// Without a number of the kernel's all clients come back at once, and do so all the same.
static double random_share(void) {
    uint32_t bits = 0;
    (void) !getrandom(&bits, sizeof bits, GRND_NONBLOCK);
    return bits / 4294967296.0;
}

const struct session_timing session_standard_timing = {
    .first_delay = 250 * SESSION_MILLISECOND,
    .longest_delay = 10000 * SESSION_MILLISECOND,
    .spread = 6,
    .silence = 10000 * SESSION_MILLISECOND,
    .full_delay = 50 * SESSION_MILLISECOND,
    .draw = random_share,
};

void session_start(struct session *session, int64_t now, int64_t maximum_updates) {
    *session = (struct session) {
        .timing = session->timing,
        .state = SESSION_WAITING,
        .deadline = now,
        .delay = session->timing.first_delay,
        .full_since = SESSION_NEVER,
        .remaining = maximum_updates,
    };
}

void session_end(struct session *session) {
    session->state = SESSION_ENDED;
    session->deadline = SESSION_NEVER;
}

void session_reset(struct session *session) {
    *session = (struct session) {.timing = session->timing, .deadline = SESSION_NEVER};
}

void session_connected(struct session *session, int64_t now) {
    session->state = SESSION_CALLING;
    session->deadline = now + session->timing.silence;
    session->full_since = SESSION_NEVER;
}

bool session_retry(struct session *session, int64_t now) {
    if (session->full_since == SESSION_NEVER) {
        session->full_since = now;
    }
    if (now - session->full_since >= session->timing.silence) {
        return false;
    }
    session->deadline = now + session->timing.full_delay;
    return true;
}

void session_replied(struct session *session) {
    session->state = SESSION_STREAMING;
    session->deadline = SESSION_NEVER;
    session->delay = session->timing.first_delay * session->timing.spread;
    session->is_fresh = true;
    session->is_reported = false;
    session->has_answered = true;
}

/// Waits for the next attempt, longer each time. All clients lose a daemon that restarts at once: after an answer they come back over a
/// longer time.
static void back_off(struct session *session, int64_t now) {
    session->state = SESSION_WAITING;
    int64_t least = session->is_fresh ? session->timing.first_delay : session->delay / 2;
    session->deadline = now + least + (int64_t) ((double) (session->delay - least) * session->timing.draw());
    session->full_since = SESSION_NEVER;
    session->delay = session->is_fresh ? session->timing.first_delay : session->delay * 2;
    session->is_fresh = false;
    if (session->delay > session->timing.longest_delay) {
        session->delay = session->timing.longest_delay;
    }
}

bool session_lost(struct session *session, int64_t now) {
    bool is_new = !session->is_reported;
    session->is_reported = true;
    back_off(session, now);
    return is_new;
}

void session_suspended(struct session *session, int64_t now) {
    back_off(session, now);
}

bool session_is_due(const struct session *session, int64_t now) {
    return now >= session->deadline;
}

bool session_accepts(struct session *session, const struct locationd_location *location) {
    // A smaller number of a newer fix is that of a daemon that has lost its state and begins anew.
    bool is_new = !session->has_location || location->sequence > session->sequence
        || (location->sequence < session->sequence && location->monotonic_time > session->monotonic_time);
    if (!is_new) {
        return false;
    }
    session->has_location = true;
    session->sequence = location->sequence;
    session->monotonic_time = location->monotonic_time;
    if (session->remaining > 0 && --session->remaining == 0) {
        session_end(session);
    }
    return true;
}
