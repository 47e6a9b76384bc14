// When each fix was made: a table in a file that who makes fixes and who reads them have mapped, with the moment in
// nanoseconds of CLOCK_MONOTONIC, one slot for each hundredth of a second of a day. moments.py is the other hand.
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { moments_kept = 8640000 };

/// The table in the file; MAP_FAILED if it cannot be had.
static int64_t *mapped_moments(const char *path) {
    size_t size = moments_kept * sizeof(int64_t);
    int descriptor = open(path, O_RDWR | O_CREAT, 0600);
    if (descriptor < 0 || ftruncate(descriptor, (off_t)size)) return MAP_FAILED;
    int64_t *table = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    return table;
}

static int64_t monotonic(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}
