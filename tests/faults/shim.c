/* Loaded before the C library (LD_PRELOAD): the k-th call that changes files under a folder fails, or ends the process.
 *
 * Nothing is counted until faults_set is called, which the child of a forked process does. Counts are kept in memory that
 * processes share, so that the parent reads them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { INTERRUPTIBLE = 1, OTHER = 2 };

static char folder[4096];
static size_t folder_length;
static atomic_long *counts; /* calls so far, and faults so far; NULL: nothing is counted */
static long at;             /* which call; 0: none */
static long times;          /* how many calls from there on */
static int fault;           /* errno; 0: SIGKILL */
static int kinds;

void faults_set(const char *under, void *shared, long call, long number, int error, int of) {
    strncpy(folder, under, sizeof folder - 1);
    folder_length = strlen(folder);
    at = call, times = number, fault = error, kinds = of;
    counts = shared;
}

static int is_under(const char *path) { return path != NULL && strncmp(path, folder, folder_length) == 0; }

static int is_open_under(int descriptor) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return is_under(path);
}

static int is_at_under(int descriptor, const char *path) {
    return path[0] == '/' || descriptor == AT_FDCWD ? is_under(path) : is_open_under(descriptor);
}

/* Whether this call fails; errno says how. */
static int fails(int kind, int is_meant) {
    if (!(kind & kinds) || !is_meant) return 0;
    long call = atomic_fetch_add(&counts[0], 1) + 1;
    if (at == 0 || call < at || call - at >= times) return 0;
    atomic_fetch_add(&counts[1], 1);
    if (fault == 0) kill(getpid(), SIGKILL);
    errno = fault;
    return 1;
}

#define REAL(result, name, ...) \
    static result (*real)(__VA_ARGS__); \
    if (real == NULL) real = (result(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)
#define MEANT(what) (counts != NULL && (what))
#define WRAPPED(result, name, kind, meant, parameters, arguments, ...) \
    result name parameters { \
        REAL(result, name, __VA_ARGS__); \
        if (MEANT(meant) && fails(kind, 1)) return -1; \
        return real arguments; \
    }

WRAPPED(ssize_t, write, INTERRUPTIBLE, is_open_under(d), (int d, const void *b, size_t n), (d, b, n), int, const void *, size_t)
WRAPPED(ssize_t, writev, INTERRUPTIBLE, is_open_under(d), (int d, const struct iovec *b, int n), (d, b, n), int, const struct iovec *, int)
WRAPPED(ssize_t, pwrite, INTERRUPTIBLE, is_open_under(d), (int d, const void *b, size_t n, off_t o), (d, b, n, o), int, const void *, size_t, off_t)
WRAPPED(ssize_t, pwrite64, INTERRUPTIBLE, is_open_under(d), (int d, const void *b, size_t n, off64_t o), (d, b, n, o), int, const void *, size_t, off64_t)
WRAPPED(int, ftruncate, INTERRUPTIBLE, is_open_under(d), (int d, off_t n), (d, n), int, off_t)
WRAPPED(int, ftruncate64, INTERRUPTIBLE, is_open_under(d), (int d, off64_t n), (d, n), int, off64_t)
WRAPPED(int, fsync, INTERRUPTIBLE, is_open_under(d), (int d), (d), int)
WRAPPED(int, fdatasync, INTERRUPTIBLE, is_open_under(d), (int d), (d), int)
WRAPPED(int, fchmod, OTHER, is_open_under(d), (int d, mode_t m), (d, m), int, mode_t)
WRAPPED(int, chmod, OTHER, is_under(p), (const char *p, mode_t m), (p, m), const char *, mode_t)
WRAPPED(int, fchmodat, OTHER, is_at_under(d, p), (int d, const char *p, mode_t m, int f), (d, p, m, f), int, const char *, mode_t, int)
WRAPPED(int, mkdir, OTHER, is_under(p), (const char *p, mode_t m), (p, m), const char *, mode_t)
WRAPPED(int, mkdirat, OTHER, is_at_under(d, p), (int d, const char *p, mode_t m), (d, p, m), int, const char *, mode_t)
WRAPPED(int, unlink, OTHER, is_under(p), (const char *p), (p), const char *)
WRAPPED(int, rmdir, OTHER, is_under(p), (const char *p), (p), const char *)
WRAPPED(int, unlinkat, OTHER, is_at_under(d, p), (int d, const char *p, int f), (d, p, f), int, const char *, int)
WRAPPED(int, rename, OTHER, is_under(q), (const char *p, const char *q), (p, q), const char *, const char *)
WRAPPED(int, renameat, OTHER, is_at_under(e, q), (int d, const char *p, int e, const char *q), (d, p, e, q), int, const char *, int, const char *)
WRAPPED(int, renameat2, OTHER, is_at_under(e, q), (int d, const char *p, int e, const char *q, unsigned f), (d, p, e, q, f), int, const char *, int, const char *, unsigned)

/* A close that fails has closed, as Linux does it. */
int close(int descriptor) {
    REAL(int, close, int);
    int is_meant = MEANT((fcntl(descriptor, F_GETFL) & O_ACCMODE) != O_RDONLY && is_open_under(descriptor));
    if (is_meant && fails(INTERRUPTIBLE, 1)) {
        int error = errno;
        real(descriptor);
        errno = error;
        return -1;
    }
    return real(descriptor);
}

#define OPENED(name, meant, parameters, arguments, ...) \
    int name parameters { \
        mode_t mode = 0; \
        if (flags & (O_CREAT | __O_TMPFILE)) { \
            va_list more; \
            va_start(more, flags); \
            mode = va_arg(more, mode_t); \
            va_end(more); \
        } \
        REAL(int, name, __VA_ARGS__, int, ...); \
        if (MEANT((flags & O_ACCMODE) != O_RDONLY && (meant)) && fails(INTERRUPTIBLE, 1)) return -1; \
        return real arguments; \
    }

OPENED(open, is_under(path), (const char *path, int flags, ...), (path, flags, mode), const char *)
OPENED(open64, is_under(path), (const char *path, int flags, ...), (path, flags, mode), const char *)
OPENED(openat, is_at_under(d, path), (int d, const char *path, int flags, ...), (d, path, flags, mode), int, const char *)
OPENED(openat64, is_at_under(d, path), (int d, const char *path, int flags, ...), (d, path, flags, mode), int, const char *)
