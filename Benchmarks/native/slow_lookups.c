// Preloaded: every look-up of a user by number takes 20 ms longer, as it may at a directory service on the network.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pwd.h>
#include <time.h>

int getpwuid_r(uid_t uid, struct passwd *entry, char *room, size_t size, struct passwd **found)
{
    static int (*real)(uid_t, struct passwd *, char *, size_t, struct passwd **);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "getpwuid_r");
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    return real(uid, entry, room, size, found);
}
