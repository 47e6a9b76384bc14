/* What a program does to the files of one folder, in order, with the bytes it writes: to be preloaded into the program.
 *
 * DISK_RECORDER_FOLDER is the folder, an absolute path without symbolic links; DISK_RECORDER_LOG the file that receives the
 * records. What the program writes to its standard error is recorded among them, so that its messages have a place in the
 * order. Each call is made under one lock and recorded when it has succeeded. The records are read by DiskEvent.swift. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { OPENED = 1, CLOSED, WRITTEN, TRUNCATED, SYNCED, MAPPED, UNLINKED, RENAMED, SAID };
/* In the offset of OPENED. */
enum { CREATED = 1, EMPTIED = 2, DIRECTORY = 4 };

struct header {
    uint32_t kind;
    int32_t descriptor;
    uint64_t offset;
    uint64_t length;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int log_descriptor = -1;
static char folder[4096];
static char watched[65536];

__attribute__((constructor)) static void start(void) {
    const char *path = getenv("DISK_RECORDER_LOG"), *place = getenv("DISK_RECORDER_FOLDER");
    if (!path || !place || strlen(place) >= sizeof folder) return;
    strcpy(folder, place);
    int descriptor = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    /* Out of the way of the program's own numbers. */
    log_descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 200);
    syscall(SYS_close, descriptor);
}

/* A record that is lost would make the whole recording wrong. */
static void record(enum kind kind, int descriptor, uint64_t offset, const struct iovec *data, int count) {
    struct header header = {kind, descriptor, offset, 0};
    struct iovec parts[17] = {{&header, sizeof header}};
    if (count > 16) abort();
    for (int index = 0; index < count; index++) {
        parts[index + 1] = data[index];
        header.length += data[index].iov_len;
    }
    long written = syscall(SYS_writev, log_descriptor, parts, count + 1);
    if (written != (long)(sizeof header + header.length)) abort();
}

static int is_inside(const char *path) {
    size_t length = strlen(folder);
    return log_descriptor >= 0 && length && !strncmp(path, folder, length) && (!path[length] || path[length] == '/');
}

static int is_watched(int descriptor) {
    return log_descriptor >= 0 && descriptor >= 0 && descriptor < (int)sizeof watched && watched[descriptor];
}

static int open_file(const char *path, int flags, mode_t mode) {
    if (!is_inside(path)) return syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    pthread_mutex_lock(&lock);
    int is_new = flags & O_CREAT && syscall(SYS_faccessat, AT_FDCWD, path, F_OK) != 0;
    int descriptor = syscall(SYS_openat, AT_FDCWD, path, flags, mode), error = errno;
    if (descriptor >= (int)sizeof watched || flags & O_APPEND) abort();
    if (descriptor >= 0) {
        struct stat state;
        int what = (is_new ? CREATED : 0) | (flags & O_TRUNC ? EMPTIED : 0);
        if (fstat(descriptor, &state) == 0 && S_ISDIR(state.st_mode)) what |= DIRECTORY;
        watched[descriptor] = 1;
        record(OPENED, descriptor, what, &(struct iovec){(void *)path, strlen(path)}, 1);
    }
    pthread_mutex_unlock(&lock);
    errno = error;
    return descriptor;
}

#define MODE(flags) \
    mode_t mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { \
        va_list arguments; \
        va_start(arguments, flags); \
        mode = va_arg(arguments, mode_t); \
        va_end(arguments); \
    }

int open(const char *path, int flags, ...) { MODE(flags) return open_file(path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags) return open_file(path, flags, mode); }

int close(int descriptor) {
    if (!is_watched(descriptor)) return syscall(SYS_close, descriptor);
    pthread_mutex_lock(&lock);
    watched[descriptor] = 0;
    record(CLOSED, descriptor, 0, NULL, 0);
    int result = syscall(SYS_close, descriptor), error = errno;
    pthread_mutex_unlock(&lock);
    errno = error;
    return result;
}

ssize_t write(int descriptor, const void *data, size_t length) {
    if (log_descriptor < 0 || (descriptor != STDERR_FILENO && !is_watched(descriptor)))
        return syscall(SYS_write, descriptor, data, length);
    pthread_mutex_lock(&lock);
    off_t offset = is_watched(descriptor) ? lseek(descriptor, 0, SEEK_CUR) : 0;
    ssize_t written = syscall(SYS_write, descriptor, data, length);
    int error = errno;
    if (written > 0)
        record(is_watched(descriptor) ? WRITTEN : SAID, descriptor, offset, &(struct iovec){(void *)data, written}, 1);
    pthread_mutex_unlock(&lock);
    errno = error;
    return written;
}

static ssize_t write_at(int descriptor, const void *data, size_t length, off64_t offset) {
    if (!is_watched(descriptor)) return syscall(SYS_pwrite64, descriptor, data, length, offset);
    pthread_mutex_lock(&lock);
    ssize_t written = syscall(SYS_pwrite64, descriptor, data, length, offset);
    int error = errno;
    if (written > 0) record(WRITTEN, descriptor, offset, &(struct iovec){(void *)data, written}, 1);
    pthread_mutex_unlock(&lock);
    errno = error;
    return written;
}

ssize_t pwrite(int descriptor, const void *data, size_t length, off_t offset) {
    return write_at(descriptor, data, length, offset);
}
ssize_t pwrite64(int descriptor, const void *data, size_t length, off64_t offset) {
    return write_at(descriptor, data, length, offset);
}

static int truncate_file(int descriptor, off64_t size) {
    if (!is_watched(descriptor)) return syscall(SYS_ftruncate, descriptor, size);
    pthread_mutex_lock(&lock);
    int result = syscall(SYS_ftruncate, descriptor, size), error = errno;
    if (result == 0) record(TRUNCATED, descriptor, size, NULL, 0);
    pthread_mutex_unlock(&lock);
    errno = error;
    return result;
}

int ftruncate(int descriptor, off_t size) { return truncate_file(descriptor, size); }
int ftruncate64(int descriptor, off64_t size) { return truncate_file(descriptor, size); }

static int sync_file(long call, int descriptor) {
    if (!is_watched(descriptor)) return syscall(call, descriptor);
    pthread_mutex_lock(&lock);
    int result = syscall(call, descriptor), error = errno;
    if (result == 0) record(SYNCED, descriptor, 0, NULL, 0);
    pthread_mutex_unlock(&lock);
    errno = error;
    return result;
}

int fsync(int descriptor) { return sync_file(SYS_fsync, descriptor); }
int fdatasync(int descriptor) { return sync_file(SYS_fdatasync, descriptor); }

static void *map(void *address, size_t length, int protection, int flags, int descriptor, off64_t offset) {
    int is_recorded = is_watched(descriptor) && flags & MAP_SHARED && protection & PROT_WRITE;
    if (is_recorded) pthread_mutex_lock(&lock);
    void *place = (void *)syscall(SYS_mmap, address, length, protection, flags, descriptor, offset);
    int error = errno;
    if (is_recorded) {
        if (place != MAP_FAILED) record(MAPPED, descriptor, 0, NULL, 0);
        pthread_mutex_unlock(&lock);
    }
    errno = error;
    return place;
}

void *mmap(void *address, size_t length, int protection, int flags, int descriptor, off_t offset) {
    return map(address, length, protection, flags, descriptor, offset);
}
void *mmap64(void *address, size_t length, int protection, int flags, int descriptor, off64_t offset) {
    return map(address, length, protection, flags, descriptor, offset);
}

int unlink(const char *path) {
    if (!is_inside(path)) return syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    pthread_mutex_lock(&lock);
    int result = syscall(SYS_unlinkat, AT_FDCWD, path, 0), error = errno;
    if (result == 0) record(UNLINKED, -1, 0, &(struct iovec){(void *)path, strlen(path)}, 1);
    pthread_mutex_unlock(&lock);
    errno = error;
    return result;
}

int rename(const char *path, const char *target) {
    if (!is_inside(path) && !is_inside(target)) return syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, target, 0);
    pthread_mutex_lock(&lock);
    int result = syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, target, 0), error = errno;
    struct iovec paths[] = {{(void *)path, strlen(path) + 1}, {(void *)target, strlen(target)}};
    if (result == 0) record(RENAMED, -1, 0, paths, 2);
    pthread_mutex_unlock(&lock);
    errno = error;
    return result;
}
