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

int csystemd_load(const char *name, struct csystemd *functions) {
    // For dlopen(3) an empty name means the program itself.
    if (name == NULL || name[0] == 0) return -1;
    // RTLD_NOW: a broken library fails here and not at a later call. RTLD_LOCAL: the symbols of its five libraries stay
    // out of the global namespace.
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
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
