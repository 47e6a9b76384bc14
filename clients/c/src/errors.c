#include "errors.h"

#include <errno.h>
#include <string.h>

#include "locationd.h"
#include "message.h"
#include "text.h"

/// An error of the interface: its sentence, with at most one parameter of the reply in it.
static const struct known_error {
    const char *name;
    int code;
    const char *parameter; ///< NULL for none. `limit` and `number` are integers, others texts.
    const char *sentence;
} known_errors[] = {
    {"org.locationd.location.NotAuthorized", LOCATIOND_ERROR_NOT_AUTHORIZED, "reason", "not authorized: %s"},
    {"org.locationd.location.Disabled", LOCATIOND_ERROR_DISABLED, NULL,
     "the location service is switched off; an administrator can run `sudo locctl start`"},
    {"org.locationd.location.LocationUnavailable", LOCATIOND_ERROR_LOCATION_UNAVAILABLE, "reason",
     "no location is available: %s"},
    {"org.locationd.location.TimedOut", LOCATIOND_ERROR_TIMED_OUT, NULL,
     "no location that is new and accurate enough came in time; allow a longer time, a greater age or a lesser accuracy, "
     "or run `locctl diagnose`"},
    {"org.locationd.location.TooManyClients", LOCATIOND_ERROR_TOO_MANY_CLIENTS, "limit",
     "too many connections are open (the limit is %s); close some, or raise the limit in locationd.toml"},
    {"org.locationd.location.TooManyRequests", LOCATIOND_ERROR_TOO_MANY_REQUESTS, "limit",
     "too many calls (at most %s a second for one user); send fewer, or use a watch instead"},
    {"org.locationd.location.TooManyAuthorizations", LOCATIOND_ERROR_TOO_MANY_AUTHORIZATIONS, "limit",
     "%s requests for authorization are pending already; have an administrator decide (`sudo locctl authorizations` lists them)"},
    {"org.locationd.location.TooManyRegions", LOCATIOND_ERROR_TOO_MANY_REGIONS, "limit",
     "more than the %s regions or monitors that are allowed; remove some (`locctl regions` lists the persisted ones), or have an "
     "administrator raise the limit in locationd.toml"},
    {"org.locationd.location.NoSuchMonitor", LOCATIOND_ERROR_NO_SUCH_MONITOR, "name",
     "there is no monitor named %s; `locctl regions` lists the named monitors"},
    {"org.locationd.location.MonitorInUse", LOCATIOND_ERROR_MONITOR_IN_USE, "name",
     "another program uses the monitor %s; end it, or use another name"},
    {"org.varlink.service.InvalidParameter", LOCATIOND_ERROR_INVALID_PARAMETER, "parameter",
     "locationd does not accept %s; org.locationd.location(7) has its range, and a daemon that is older may not know it"},
    {"org.varlink.service.PermissionDenied", LOCATIOND_ERROR_PERMISSION_DENIED, NULL,
     "locationd does not permit this call to the program's user"},
    {"org.varlink.service.MethodNotFound", LOCATIOND_ERROR_NOT_SUPPORTED, "method",
     "locationd does not have the method %s; it may be older than this library"},
    {"org.varlink.service.MethodNotImplemented", LOCATIOND_ERROR_NOT_SUPPORTED, "method",
     "locationd does not have the method %s; it may be older than this library"},
};

/// InvalidParameter with the parameter `request`, as the daemon calls a request as a whole: what this library sends is well-formed.
static const char too_large[] = "the request is too large for locationd; give fewer regions or corners, or have an administrator "
    "raise request-size in locationd.toml";

/// A parameter as text; "?" if the daemon does not give it.
static void describe_parameter(const json_t *parameters, const char *name, char *text, size_t size) {
    const json_t *value = json_object_get(parameters, name);
    int64_t integer;
    if (message_text(value) != NULL) {
        text_copy(text, size, message_text(value));
    } else if (message_integer(value, &integer)) {
        text_format(text, size, "%lld", (long long)integer);
    } else {
        text_copy(text, size, "?");
    }
}

int error_of_reply(const json_t *reply, char *sentence, size_t size) {
    const json_t *error = json_object_get(reply, "error");
    if (error == NULL || json_is_null(error)) {
        return 0;
    }
    const char *name = message_text(error);
    const json_t *parameters = json_object_get(reply, "parameters");
    char detail[700];
    for (size_t index = 0; name != NULL && index < sizeof known_errors / sizeof *known_errors; index++) {
        const struct known_error *known = &known_errors[index];
        if (strcmp(known->name, name) != 0) {
            continue;
        }
        const char *mark = strstr(known->sentence, "%s");
        if (known->parameter == NULL || mark == NULL) {
            text_copy(sentence, size, known->sentence);
        } else {
            describe_parameter(parameters, known->parameter, detail, sizeof detail);
            if (known->code == LOCATIOND_ERROR_INVALID_PARAMETER) {
                if (strcmp(detail, "request") == 0) {
                    text_copy(sentence, size, too_large);
                    return known->code;
                }
                text_copy_snake_case(detail, sizeof detail, detail);
            }
            text_format(sentence, size, "%.*s%s%s", (int)(mark - known->sentence), known->sentence, detail, mark + 2);
        }
        return known->code;
    }
    describe_parameter(parameters, "reason", detail, sizeof detail);
    text_format(sentence, size, "locationd refuses: %s%s%s", name == NULL ? "an error without a name" : name,
                strcmp(detail, "?") == 0 ? "" : ": ", strcmp(detail, "?") == 0 ? "" : detail);
    return LOCATIOND_ERROR_OTHER;
}

void describe_connect_error(int error, const char *path, char *sentence, size_t size) {
    switch (error) {
    case ENOENT:
    case ENOTDIR:
        text_format(sentence, size,
                    "locationd cannot be reached: there is no socket at %s; start it, for instance by `sudo systemctl start "
                    "locationd.socket`, or name its socket in LOCATIOND_SOCKET", path);
        break;
    case ECONNREFUSED:
        text_format(sentence, size,
                    "locationd cannot be reached: nothing listens at %s; start it, for instance by `sudo systemctl start locationd`", path);
        break;
    case EACCES:
    case EPERM:
        text_format(sentence, size,
                    "locationd cannot be reached: this user may not connect to %s; see the permissions of the socket and its "
                    "directories", path);
        break;
    case EAGAIN:
        text_format(sentence, size,
                    "locationd cannot be reached: it accepts no connections at %s; `journalctl -u locationd` may have the cause", path);
        break;
    default:
        text_format(sentence, size, "locationd cannot be reached at %s: %s", path, strerrordesc_np(error));
    }
}

void describe_receive_error(int error, char *sentence, size_t size) {
    switch (error) {
    case EPIPE:
    case ECONNRESET:
        text_copy(sentence, size,
                  "locationd closed the connection; it may have been stopped or restarted: `systemctl status locationd` tells");
        break;
    case ETIMEDOUT:
        text_copy(sentence, size,
                  "locationd does not answer; `journalctl -u locationd` may have the cause, `systemctl restart locationd` helps");
        break;
    case EMSGSIZE:
        text_copy(sentence, size, "locationd sent an unreadable reply: it exceeds 1 MiB; are the versions the same?");
        break;
    case ENOMEM:
        text_copy(sentence, size, "the memory of this program is exhausted");
        break;
    default:
        text_format(sentence, size, "the connection to locationd has failed: %s", strerrordesc_np(error));
    }
}

__attribute__((visibility("default"))) const char *locationd_strerror(int error) {
    switch (error) {
    case 0: return "no error";
    case LOCATIOND_ERROR_INVALID_ARGUMENT: return "an argument is wrong";
    case LOCATIOND_ERROR_NO_MEMORY: return "memory or descriptors are exhausted";
    case LOCATIOND_ERROR_UNREACHABLE: return "locationd cannot be reached";
    case LOCATIOND_ERROR_INTERRUPTED: return "interrupted by a signal";
    case LOCATIOND_ERROR_BUSY: return "the handle has a watch or monitor already";
    case LOCATIOND_ERROR_NOT_WATCHING: return "the handle has neither a watch nor a monitor";
    case LOCATIOND_ERROR_ENDED: return "the watch has reached its maximum of updates or its duration";
    case LOCATIOND_ERROR_NOT_AUTHORIZED: return "the program may not know the position";
    case LOCATIOND_ERROR_DISABLED: return "the location service is switched off";
    case LOCATIOND_ERROR_LOCATION_UNAVAILABLE: return "no location is available";
    case LOCATIOND_ERROR_TIMED_OUT: return "nothing that meets the request came in time";
    case LOCATIOND_ERROR_TOO_MANY_CLIENTS: return "too many connections are open";
    case LOCATIOND_ERROR_TOO_MANY_REQUESTS: return "too many calls";
    case LOCATIOND_ERROR_TOO_MANY_AUTHORIZATIONS: return "too many requests for authorization are pending";
    case LOCATIOND_ERROR_TOO_MANY_REGIONS: return "too many regions or monitors";
    case LOCATIOND_ERROR_NO_SUCH_MONITOR: return "there is no monitor of this name";
    case LOCATIOND_ERROR_MONITOR_IN_USE: return "another program uses the monitor";
    case LOCATIOND_ERROR_INVALID_PARAMETER: return "locationd does not accept an option";
    case LOCATIOND_ERROR_PERMISSION_DENIED: return "locationd does not permit the call";
    case LOCATIOND_ERROR_NOT_SUPPORTED: return "locationd does not have the method";
    case LOCATIOND_ERROR_OTHER: return "locationd refuses the call";
    default: return "unknown error";
    }
}
