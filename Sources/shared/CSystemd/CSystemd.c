#include "CSystemd.h"

#include <dlfcn.h>

// ISO C does not allow a cast from an object pointer to a function pointer; POSIX writes dlsym()'s result through a
// cast of the function pointer's address.
static int find(void *library, const char *name, void *function) {
    void *address = dlsym(library, name);
    if (address == NULL) return 0;
    *(void **)function = address;
    return 1;
}

static void *load(const char *name) {
    // For dlopen(3) an empty name means the program itself.
    if (name == NULL || name[0] == 0) return NULL;
    // RTLD_NOW: a broken library fails here and not at a later call. RTLD_LOCAL: the symbols of its five libraries stay
    // out of the global namespace.
    return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

int csystemd_load(const char *name, struct csystemd *functions) {
    void *library = load(name);
    if (library == NULL) return -1;
    if (find(library, "sd_uid_get_state", &functions->uid_get_state)
        && find(library, "sd_login_monitor_new", &functions->login_monitor_new)
        && find(library, "sd_login_monitor_unref", &functions->login_monitor_unref)
        && find(library, "sd_login_monitor_flush", &functions->login_monitor_flush)
        && find(library, "sd_login_monitor_get_fd", &functions->login_monitor_get_fd)
        && find(library, "sd_login_monitor_get_events", &functions->login_monitor_get_events)
        && find(library, "sd_login_monitor_get_timeout", &functions->login_monitor_get_timeout))
        return 0;
    dlclose(library);
    return -1;
}

int csystemd_load_bus(const char *name, struct csystemd_bus *functions) {
    void *library = load(name);
    if (library == NULL) return -1;
    if (find(library, "sd_bus_open_system", &functions->open_system)
        && find(library, "sd_bus_new", &functions->new) && find(library, "sd_bus_set_address", &functions->set_address)
        && find(library, "sd_bus_set_bus_client", &functions->set_bus_client)
        && find(library, "sd_bus_start", &functions->start)
        && find(library, "sd_bus_process", &functions->process)
        && find(library, "sd_bus_send", &functions->send)
        && find(library, "sd_bus_get_fd", &functions->get_fd)
        && find(library, "sd_bus_get_events", &functions->get_events)
        && find(library, "sd_bus_get_timeout", &functions->get_timeout)
        && find(library, "sd_bus_close", &functions->close)
        && find(library, "sd_bus_unref", &functions->unref)
        && find(library, "sd_bus_message_new_method_call", &functions->message_new_method_call)
        && find(library, "sd_bus_message_new_method_return", &functions->message_new_method_return)
        && find(library, "sd_bus_message_new_method_error", &functions->message_new_method_error)
        && find(library, "sd_bus_message_new_signal", &functions->message_new_signal)
        && find(library, "sd_bus_message_set_destination", &functions->message_set_destination)
        && find(library, "sd_bus_message_open_container", &functions->message_open_container)
        && find(library, "sd_bus_message_close_container", &functions->message_close_container)
        && find(library, "sd_bus_message_get_type", &functions->message_get_type)
        && find(library, "sd_bus_message_get_expect_reply", &functions->message_get_expect_reply)
        && find(library, "sd_bus_message_get_path", &functions->message_get_path)
        && find(library, "sd_bus_message_get_interface", &functions->message_get_interface)
        && find(library, "sd_bus_message_get_member", &functions->message_get_member)
        && find(library, "sd_bus_message_get_signature", &functions->message_get_signature)
        && find(library, "sd_bus_message_ref", &functions->message_ref)
        && find(library, "sd_bus_message_append_basic", &functions->message_append_basic)
        && find(library, "sd_bus_message_unref", &functions->message_unref)
        && find(library, "sd_bus_message_get_reply_cookie", &functions->message_get_reply_cookie)
        && find(library, "sd_bus_message_get_sender", &functions->message_get_sender)
        && find(library, "sd_bus_message_get_error", &functions->message_get_error)
        && find(library, "sd_bus_message_is_signal", &functions->message_is_signal)
        && find(library, "sd_bus_message_enter_container", &functions->message_enter_container)
        && find(library, "sd_bus_message_exit_container", &functions->message_exit_container)
        && find(library, "sd_bus_message_read_basic", &functions->message_read_basic)
        && find(library, "sd_bus_message_skip", &functions->message_skip)
        && find(library, "sd_bus_message_peek_type", &functions->message_peek_type))
        return 0;
    dlclose(library);
    return -1;
}
