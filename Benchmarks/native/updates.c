// N clients in one process that record when each of them has read which position, from locationd or from GeoClue.
//
//     updates locationd SOCKET CLIENTS
//     updates geoclue BUS-ADDRESS CLIENTS
//
// It waits for GeoClue to be on the bus, opens CLIENTS connections that ask for everything the service has, and prints
// "ready". A line of input is answered by a line of JSON with the updates since the last one, each
// [client, latitude (degrees), time (CLOCK_MONOTONIC, seconds)]. It ends when its input does.
//
// A client of GeoClue does the least that gets it a position: GeoClue's signal names an object, and one call reads it.
#define _GNU_SOURCE
#include <dbus/dbus.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define SERVICE "org.freedesktop.GeoClue2"
#define PROPERTIES "org.freedesktop.DBus.Properties"

enum { buffer_size = 65536, update_limit = 1 << 20 };

struct update {
    int client;
    double latitude, time;
};

struct client {
    int descriptor;
    DBusConnection *bus;
    size_t filled;
    char buffer[buffer_size];
};

static struct update updates[update_limit];
static size_t update_count;

static void fail(const char *what) {
    fprintf(stderr, "updates: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void check(const DBusError *error) {
    if (!dbus_error_is_set(error)) return;
    fprintf(stderr, "updates: %s: %s\n", error->name, error->message);
    exit(1);
}

static void record(int client, double latitude) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (update_count == update_limit) fail("too many updates");
    updates[update_count++] = (struct update){client, latitude, (double)now.tv_sec + (double)now.tv_nsec / 1e9};
}

// locationd: replies in JSON, each terminated by a NUL.

static void watch(struct client *client, const char *path) {
    static const char call[] = "{\"method\":\"org.locationd.location.Watch\",\"parameters\":{},\"more\":true}";
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    client->descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    if (client->descriptor < 0 || connect(client->descriptor, (struct sockaddr *)&address, sizeof address)) fail(path);
    if (send(client->descriptor, call, sizeof call, MSG_NOSIGNAL) != sizeof call) fail("send");
}

static void read_replies(struct client *client, int index) {
    static const char key[] = "\"latitude\":";
    ssize_t count =
        recv(client->descriptor, client->buffer + client->filled, buffer_size - client->filled, MSG_DONTWAIT);
    if (count <= 0) fail("the service has closed a connection");
    client->filled += (size_t)count;
    char *start = client->buffer, *end = client->buffer + client->filled, *zero;
    while ((zero = memchr(start, 0, (size_t)(end - start)))) {
        char *found = strstr(start, key);
        if (found) record(index, strtod(found + sizeof key - 1, NULL));
        start = zero + 1;
    }
    client->filled = (size_t)(end - start);
    memmove(client->buffer, start, client->filled);
}

// GeoClue: a signal, then a call and its reply.

static DBusMessage *call_and_wait(DBusConnection *bus, DBusMessage *call) {
    DBusError error = DBUS_ERROR_INIT;
    DBusMessage *reply = dbus_connection_send_with_reply_and_block(bus, call, 30000, &error);
    check(&error);
    dbus_message_unref(call);
    return reply;
}

/// Sets a property of the client's object. `type` is the type of the value: a string or a number.
static void set_property(DBusConnection *bus, const char *path, const char *name, int type, const void *value) {
    const char *interface = SERVICE ".Client", signature[] = {(char)type, 0};
    DBusMessage *call = dbus_message_new_method_call(SERVICE, path, PROPERTIES, "Set");
    DBusMessageIter arguments, variant;
    dbus_message_append_args(call, DBUS_TYPE_STRING, &interface, DBUS_TYPE_STRING, &name, DBUS_TYPE_INVALID);
    dbus_message_iter_init_append(call, &arguments);
    dbus_message_iter_open_container(&arguments, DBUS_TYPE_VARIANT, signature, &variant);
    dbus_message_iter_append_basic(&variant, type, value);
    dbus_message_iter_close_container(&arguments, &variant);
    dbus_message_unref(call_and_wait(bus, call));
}

static DBusConnection *connect_to_bus(const char *address) {
    DBusError error = DBUS_ERROR_INIT;
    DBusConnection *bus = dbus_connection_open_private(address, &error);
    check(&error);
    dbus_bus_register(bus, &error);
    check(&error);
    return bus;
}

static void wait_for_service(const char *address) {
    DBusError error = DBUS_ERROR_INIT;
    DBusConnection *bus = connect_to_bus(address);
    dbus_bus_add_match(bus, "type='signal',member='NameOwnerChanged',arg0='" SERVICE "'", &error);
    check(&error);
    while (!dbus_bus_name_has_owner(bus, SERVICE, &error)) {
        check(&error);
        DBusMessage *message;
        while (!(message = dbus_connection_pop_message(bus)))
            if (!dbus_connection_read_write(bus, -1)) fail("the bus has gone");
        dbus_message_unref(message);
    }
    dbus_connection_close(bus);
    dbus_connection_unref(bus);
}

static void start_client(struct client *client, const char *address) {
    const char *desktop = "locationd-bench", *object = NULL;
    dbus_uint32_t exact = 8, none = 0;
    DBusError error = DBUS_ERROR_INIT;
    DBusConnection *bus = client->bus = connect_to_bus(address);
    DBusMessage *reply = call_and_wait(
        bus, dbus_message_new_method_call(SERVICE, "/org/freedesktop/GeoClue2/Manager", SERVICE ".Manager", "GetClient"));
    dbus_message_get_args(reply, &error, DBUS_TYPE_OBJECT_PATH, &object, DBUS_TYPE_INVALID);
    check(&error);
    set_property(bus, object, "DesktopId", DBUS_TYPE_STRING, &desktop);
    set_property(bus, object, "RequestedAccuracyLevel", DBUS_TYPE_UINT32, &exact);
    set_property(bus, object, "DistanceThreshold", DBUS_TYPE_UINT32, &none);
    set_property(bus, object, "TimeThreshold", DBUS_TYPE_UINT32, &none);
    dbus_bus_add_match(bus, "type='signal',interface='" SERVICE ".Client',member='LocationUpdated'", &error);
    check(&error);
    dbus_message_unref(call_and_wait(bus, dbus_message_new_method_call(SERVICE, object, SERVICE ".Client", "Start")));
    dbus_message_unref(reply);
    if (!dbus_connection_get_unix_fd(bus, &client->descriptor)) fail("a bus without a socket");
}

/// The latitude among the properties of a location, an array of a{sv}.
static void read_latitude(DBusMessage *reply, int index) {
    DBusMessageIter root, entries;
    if (!dbus_message_iter_init(reply, &root) || dbus_message_iter_get_arg_type(&root) != DBUS_TYPE_ARRAY) return;
    for (dbus_message_iter_recurse(&root, &entries);
         dbus_message_iter_get_arg_type(&entries) == DBUS_TYPE_DICT_ENTRY; dbus_message_iter_next(&entries)) {
        DBusMessageIter entry, value;
        const char *name;
        double latitude;
        dbus_message_iter_recurse(&entries, &entry);
        dbus_message_iter_get_basic(&entry, &name);
        if (strcmp(name, "Latitude")) continue;
        dbus_message_iter_next(&entry);
        dbus_message_iter_recurse(&entry, &value);
        dbus_message_iter_get_basic(&value, &latitude);
        record(index, latitude);
    }
}

static void read_signals(struct client *client, int index) {
    const char *former, *present, *interface = SERVICE ".Location";
    DBusMessage *message;
    if (!dbus_connection_read_write(client->bus, 0)) fail("the bus has gone");
    while ((message = dbus_connection_pop_message(client->bus))) {
        if (dbus_message_get_type(message) == DBUS_MESSAGE_TYPE_METHOD_RETURN) {
            read_latitude(message, index);
        } else if (dbus_message_is_signal(message, SERVICE ".Client", "LocationUpdated") &&
                   dbus_message_get_args(
                       message, NULL, DBUS_TYPE_OBJECT_PATH, &former, DBUS_TYPE_OBJECT_PATH, &present,
                       DBUS_TYPE_INVALID)) {
            DBusMessage *call = dbus_message_new_method_call(SERVICE, present, PROPERTIES, "GetAll");
            dbus_message_append_args(call, DBUS_TYPE_STRING, &interface, DBUS_TYPE_INVALID);
            dbus_connection_send(client->bus, call, NULL);
            dbus_connection_flush(client->bus);
            dbus_message_unref(call);
        }
        dbus_message_unref(message);
    }
}

static void print_updates(void) {
    const char *comma = "";
    putchar('[');
    for (size_t i = 0; i < update_count; i++, comma = ",")
        printf("%s[%d,%.9f,%.6f]", comma, updates[i].client, updates[i].latitude, updates[i].time);
    puts("]");
    fflush(stdout);
    update_count = 0;
}

int main(int argc, char **argv) {
    if (argc != 4) return fprintf(stderr, "usage: updates locationd|geoclue SOCKET-OR-ADDRESS CLIENTS\n"), 2;
    int count = atoi(argv[3]), poll = epoll_create1(0), is_bus = !strcmp(argv[1], "geoclue");
    struct client *clients = calloc((size_t)count + 1, sizeof *clients);
    if (is_bus) wait_for_service(argv[2]);
    for (int i = 0; i < count; i++) {
        if (is_bus) start_client(&clients[i], argv[2]);
        else watch(&clients[i], argv[2]);
        struct epoll_event event = {.events = EPOLLIN, .data.fd = i};
        epoll_ctl(poll, EPOLL_CTL_ADD, clients[i].descriptor, &event);
    }
    epoll_ctl(poll, EPOLL_CTL_ADD, STDIN_FILENO, &(struct epoll_event){.events = EPOLLIN, .data.fd = -1});
    puts("ready");
    fflush(stdout);
    // Signals that came with the replies are in libdbus' buffers already, where epoll does not see them.
    for (int i = 0; is_bus && i < count; i++) read_signals(&clients[i], i);
    for (;;) {
        struct epoll_event events[256];
        int ready = epoll_wait(poll, events, 256, -1);
        for (int i = 0; i < ready; i++) {
            int index = events[i].data.fd;
            char line[64];
            if (index >= 0 && is_bus) read_signals(&clients[index], index);
            else if (index >= 0) read_replies(&clients[index], index);
            else if (read(STDIN_FILENO, line, sizeof line) > 0) print_updates();
            else return 0;
        }
    }
}
