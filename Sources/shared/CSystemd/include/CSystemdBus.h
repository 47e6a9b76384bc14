// The functions of libsystemd's D-Bus client (sd-bus(3)) that a client or a service needs, loaded at run time. Those with a
// variable number of arguments are left out, because Swift cannot call them.
#ifndef CSYSTEMD_BUS_H
#define CSYSTEMD_BUS_H

#include <stdint.h>

/// A connection to a bus, and a message; opaque types of libsystemd.
struct sd_bus;
struct sd_bus_message;

/// The error of a reply.
struct sd_bus_error {
    const char *name;
    const char *message;
    int needs_free;
};

/// The functions of libsystemd since version 221, with its own signatures: negative results are negated errno values. A
/// connection and its messages are for one thread.
struct csystemd_bus {
    /// Connects to the system bus, or to that of DBUS_SYSTEM_BUS_ADDRESS, and does not wait for it.
    int (*open_system)(struct sd_bus **bus);
    /// These four do the same for a given address.
    int (*new)(struct sd_bus **bus);
    int (*set_address)(struct sd_bus *bus, const char *address);
    int (*set_bus_client)(struct sd_bus *bus, int is_client);
    int (*start)(struct sd_bus *bus);
    /// Reads and writes what is possible without waiting. Positive if anything was done; then there may be a message, to be
    /// released.
    int (*process)(struct sd_bus *bus, struct sd_bus_message **message);
    int (*send)(struct sd_bus *bus, struct sd_bus_message *message, uint64_t *cookie);
    int (*get_fd)(struct sd_bus *bus);
    int (*get_events)(struct sd_bus *bus);
    /// The latest time to stop waiting: microseconds of CLOCK_MONOTONIC, or UINT64_MAX for never.
    int (*get_timeout)(struct sd_bus *bus, uint64_t *microseconds);
    void (*close)(struct sd_bus *bus);
    struct sd_bus *(*unref)(struct sd_bus *bus);

    int (*message_new_method_call)(struct sd_bus *bus, struct sd_bus_message **message, const char *destination,
                                   const char *path, const char *interface, const char *member);
    int (*message_new_method_return)(struct sd_bus_message *call, struct sd_bus_message **message);
    int (*message_new_method_error)(struct sd_bus_message *call, struct sd_bus_message **message,
                                    const struct sd_bus_error *error);
    int (*message_new_signal)(struct sd_bus *bus, struct sd_bus_message **message, const char *path,
                              const char *interface, const char *member);
    int (*message_set_destination)(struct sd_bus_message *message, const char *destination);
    int (*message_open_container)(struct sd_bus_message *message, char type, const char *contents);
    int (*message_close_container)(struct sd_bus_message *message);
    int (*message_append_basic)(struct sd_bus_message *message, char type, const void *value);
    struct sd_bus_message *(*message_unref)(struct sd_bus_message *message);
    /// Fails if the message is no reply.
    int (*message_get_reply_cookie)(struct sd_bus_message *message, uint64_t *cookie);
    /// Who sent it, as the bus says; it is valid as long as the message, as are all texts of it.
    const char *(*message_get_sender)(struct sd_bus_message *message);
    /// One of SD_BUS_MESSAGE_METHOD_CALL (1), METHOD_RETURN, METHOD_ERROR and SIGNAL (4).
    int (*message_get_type)(struct sd_bus_message *message, uint8_t *type);
    /// Positive unless the caller of a method wants no reply.
    int (*message_get_expect_reply)(struct sd_bus_message *message);
    /// These three are NULL where the message has no such field.
    const char *(*message_get_path)(struct sd_bus_message *message);
    const char *(*message_get_interface)(struct sd_bus_message *message);
    const char *(*message_get_member)(struct sd_bus_message *message);
    const char *(*message_get_signature)(struct sd_bus_message *message, int complete);
    struct sd_bus_message *(*message_ref)(struct sd_bus_message *message);
    /// NULL if the message is no error.
    const struct sd_bus_error *(*message_get_error)(struct sd_bus_message *message);
    int (*message_is_signal)(struct sd_bus_message *message, const char *interface, const char *member);
    int (*message_enter_container)(struct sd_bus_message *message, char type, const char *contents);
    int (*message_exit_container)(struct sd_bus_message *message);
    int (*message_read_basic)(struct sd_bus_message *message, char type, void *value);
    int (*message_skip)(struct sd_bus_message *message, const char *types);
    int (*message_peek_type)(struct sd_bus_message *message, char *type, const char **contents);
};

/// Loads the library of that name and finds its functions, as csystemd_load() does.
int csystemd_load_bus(const char *name, struct csystemd_bus *functions);

#endif
