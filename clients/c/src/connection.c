#include "connection.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void connection_init(struct connection *connection) {
    *connection = (struct connection) {.descriptor = -1};
}

int connection_open(struct connection *connection, const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof address.sun_path) {
        return ENAMETOOLONG;
    }
    memcpy(address.sun_path, path, length);
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0) {
        return errno;
    }
    // A socket of this kind connects at once or not at all.
    if (connect(descriptor, (const struct sockaddr *)&address, sizeof address) != 0) {
        int error = errno;
        close(descriptor);
        // A signal before the daemon has taken what was waiting; the connection was not made.
        return error == EINTR ? EAGAIN : error;
    }
    connection->descriptor = descriptor;
    return 0;
}

void connection_shut_down(struct connection *connection) {
    if (connection->descriptor >= 0) {
        shutdown(connection->descriptor, SHUT_RDWR);
    }
}

void connection_close(struct connection *connection) {
    if (connection->descriptor >= 0) {
        close(connection->descriptor);
        connection->descriptor = -1;
    }
    connection->received.length = connection->start = connection->searched = 0;
    connection->sending.length = connection->sent = 0;
}

void connection_free(struct connection *connection) {
    connection_close(connection);
    buffer_free(&connection->received);
    buffer_free(&connection->sending);
}

bool connection_is_sending(const struct connection *connection) {
    return connection->sent < connection->sending.length;
}

bool connection_enqueue(struct connection *connection, const json_t *call) {
    return message_encode(call, &connection->sending);
}

void connection_send(struct connection *connection) {
    while (connection_is_sending(connection)) {
        ssize_t count = send(connection->descriptor, connection->sending.bytes + connection->sent,
                             connection->sending.length - connection->sent, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0 && errno == EAGAIN) {
            return;
        }
        if (count <= 0) {
            break;
        }
        connection->sent += (size_t)count;
    }
    connection->sending.length = connection->sent = 0;
}

/// Moves what was not given out to the front, if that is less work than it saves.
static void discard_read(struct connection *connection) {
    struct buffer *received = &connection->received;
    if (connection->start == received->length) {
        received->length = connection->start = connection->searched = 0;
    } else if (connection->start > received->length / 2) {
        received->length -= connection->start;
        memmove(received->bytes, received->bytes + connection->start, received->length);
        connection->searched -= connection->start;
        connection->start = 0;
    }
}

int connection_receive(struct connection *connection) {
    struct buffer *received = &connection->received;
    discard_read(connection);
    if (received->length - connection->start > message_limit) {
        return EMSGSIZE;
    }
    if (!buffer_reserve(received, read_size)) {
        return ENOMEM;
    }
    ssize_t count;
    do {
        count = recv(connection->descriptor, received->bytes + received->length, read_size, 0);
    } while (count < 0 && errno == EINTR);
    if (count < 0) {
        return errno;
    }
    if (count == 0) {
        return EPIPE;
    }
    received->length += (size_t)count;
    return 0;
}

bool connection_has_message(struct connection *connection) {
    const struct buffer *received = &connection->received;
    size_t unsearched = received->length - connection->searched;
    const char *end = unsearched == 0 ? NULL : memchr(received->bytes + connection->searched, '\0', unsearched);
    // `searched` stops at the NUL, so that it is found again at once.
    connection->searched = end == NULL ? received->length : (size_t)(end - received->bytes);
    return end != NULL;
}

bool connection_next_message(struct connection *connection, const char **message, size_t *length) {
    if (!connection_has_message(connection)) {
        return false;
    }
    *message = connection->received.bytes + connection->start;
    *length = connection->searched - connection->start;
    connection->start = ++connection->searched;
    return true;
}
