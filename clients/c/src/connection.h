// A stream socket to the daemon, which never blocks, and the messages that are framed by NUL on it.
#ifndef LOCATIOND_CONNECTION_H
#define LOCATIOND_CONNECTION_H

#include "message.h"

/// What is read at once.
enum { read_size = 1 << 16 };

struct connection {
    int descriptor;         ///< -1 if it is closed.
    struct buffer received; ///< From `start` on not given out yet; up to `searched` without NUL.
    size_t start, searched;
    struct buffer sending;  ///< From `sent` on not sent yet.
    size_t sent;
};

void connection_init(struct connection *connection);

/// Connects; 0, or an error number. EAGAIN: the daemon has not accepted earlier ones yet; try again a little later.
int connection_open(struct connection *connection, const char *path);

/// Ends the connection for all who have a copy of its descriptor, as children have. Only the process that made it may.
void connection_shut_down(struct connection *connection);

/// Closes the descriptor and forgets what was read and not sent. The memory stays for the next connection.
void connection_close(struct connection *connection);
void connection_free(struct connection *connection);

/// Whether bytes of a call wait for room in the socket.
bool connection_is_sending(const struct connection *connection);

/// Appends a call to what is to be sent; false if memory is exhausted.
bool connection_enqueue(struct connection *connection, const json_t *call);

/**
 * Sends what the socket takes. A failure is none of the caller's: the daemon may have refused the connection with a reply that
 * is still to be read, and if not, reading finds the end.
 */
void connection_send(struct connection *connection);

/// Receives once: 0, or an error number. EAGAIN: nothing has arrived. EPIPE: the end. EMSGSIZE: a message exceeds the limit.
int connection_receive(struct connection *connection);

/// Whether a complete message is there.
bool connection_has_message(struct connection *connection);

/// The next complete message, valid until the next receive; false if there is none.
bool connection_next_message(struct connection *connection, const char **message, size_t *length);

#endif
