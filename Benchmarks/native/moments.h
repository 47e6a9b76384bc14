// The moment at which each fix was made: a table in a file that the maker of the fixes and their readers map, in
// nanoseconds of CLOCK_MONOTONIC, with one slot for each hundredth of a second of a day. library/moments.py writes and
// reads the same format.
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { moment_slots = 8640000 };

/// The table in the file, or MAP_FAILED.
static int64_t *map_moments(const char *path) {
    size_t size = moment_slots * sizeof(int64_t);
    int descriptor = open(path, O_RDWR | O_CREAT, 0600);
    if (descriptor < 0 || ftruncate(descriptor, (off_t)size)) return MAP_FAILED;
    int64_t *table = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    return table;
}

static int64_t monotonic_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}
