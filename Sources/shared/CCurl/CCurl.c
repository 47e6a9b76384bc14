#include "CCurl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

// Values that <curl/curl.h> and <curl/multi.h> guarantee since 7.68, for all libraries whose name ends in .4.
enum {
    PROXY = 10004, WRITEDATA = 10001, URL = 10002, ERRORBUFFER = 10010, POSTFIELDS = 10015, USERAGENT = 10018, HTTPHEADER = 10023,
    CAINFO = 10065, CONNECTTIMEOUT_MS = 156,
    FOLLOWLOCATION = 52, POSTFIELDSIZE = 60, HTTPGET = 80, NOSIGNAL = 99, PROTOCOLS = 181, WRITEFUNCTION = 20011,
    HTTP_AND_HTTPS = 3, GLOBAL_ALL = 3, ERROR_SIZE = 256, ABORTED = 42,
    RESPONSE_CODE = 0x200002, CONTENT_TYPE = 0x100012, REDIRECT_URL = 0x10001F, RETRY_AFTER = 0x600039,
};

struct message {
    int kind;
    void *easy;
    union {
        void *whatever;
        int result;
    } data;
};

static struct {
    int (*global_init)(long);
    void *(*easy_init)(void);
    void (*easy_cleanup)(void *);
    int (*easy_setopt)(void *, int, ...);
    int (*easy_getinfo)(void *, int, ...);
    const char *(*easy_strerror)(int);
    void *(*multi_init)(void);
    int (*multi_cleanup)(void *);
    int (*multi_add_handle)(void *, void *);
    int (*multi_remove_handle)(void *, void *);
    int (*multi_perform)(void *, int *);
    int (*multi_poll)(void *, void *, unsigned, int, int *);
    int (*multi_wakeup)(void *);
    struct message *(*multi_info_read)(void *, int *);
    void *(*slist_append)(void *, const char *);
    void (*slist_free_all)(void *);
} curl;

struct ccurl_session {
    void *easy, *multi, *headers;
    atomic_bool stopped;
    char error[ERROR_SIZE];
};

// ISO C does not allow a cast from an object pointer to a function pointer; POSIX writes dlsym()'s result through a
// cast of the function pointer's address.
static int find(void *library, const char *name, void *function) {
    void *address = dlsym(library, name);
    if (address == NULL) return 0;
    *(void **)function = address;
    return 1;
}

int ccurl_load(const char *name) {
    // For dlopen(3) an empty name means the program itself.
    if (name == NULL || name[0] == 0) return -1;
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return -1;
    if (curl.global_init != NULL) {
        dlclose(library);
        return 0;
    }
    int (*global_init)(long) = NULL;
    if (find(library, "curl_easy_init", &curl.easy_init) && find(library, "curl_easy_cleanup", &curl.easy_cleanup)
        && find(library, "curl_easy_setopt", &curl.easy_setopt)
        && find(library, "curl_easy_getinfo", &curl.easy_getinfo)
        && find(library, "curl_easy_strerror", &curl.easy_strerror)
        && find(library, "curl_multi_init", &curl.multi_init)
        && find(library, "curl_multi_cleanup", &curl.multi_cleanup)
        && find(library, "curl_multi_add_handle", &curl.multi_add_handle)
        && find(library, "curl_multi_remove_handle", &curl.multi_remove_handle)
        && find(library, "curl_multi_perform", &curl.multi_perform)
        && find(library, "curl_multi_poll", &curl.multi_poll)
        && find(library, "curl_multi_wakeup", &curl.multi_wakeup)
        && find(library, "curl_multi_info_read", &curl.multi_info_read)
        && find(library, "curl_slist_append", &curl.slist_append)
        && find(library, "curl_slist_free_all", &curl.slist_free_all)
        && find(library, "curl_global_init", &global_init) && global_init(GLOBAL_ALL) == 0) {
        curl.global_init = global_init;
        return 0;
    }
    dlclose(library);
    return -1;
}

struct ccurl_session *ccurl_open(void) {
    struct ccurl_session *session = calloc(1, sizeof *session);
    if (session == NULL) return NULL;
    session->easy = curl.easy_init();
    session->multi = curl.multi_init();
    if (session->easy != NULL && session->multi != NULL) return session;
    ccurl_close(session);
    return NULL;
}

void ccurl_close(struct ccurl_session *session) {
    if (session->easy != NULL) curl.easy_cleanup(session->easy);
    if (session->multi != NULL) curl.multi_cleanup(session->multi);
    curl.slist_free_all(session->headers);
    free(session);
}

static int run(struct ccurl_session *session) {
    int running = 1, left = 0;
    while (!atomic_load(&session->stopped)) {
        if (curl.multi_perform(session->multi, &running) != 0) return ABORTED;
        if (running == 0) {
            struct message *message = curl.multi_info_read(session->multi, &left);
            return message == NULL ? ABORTED : message->data.result;
        }
        if (curl.multi_poll(session->multi, NULL, 0, 60000, NULL) != 0) return ABORTED;
    }
    return ABORTED;
}

int ccurl_add_header(struct ccurl_session *session, const char *line) {
    void *longer = curl.slist_append(session->headers, line);
    if (longer == NULL) return -1;
    session->headers = longer;
    return 0;
}

int ccurl_send(struct ccurl_session *session, const char *url, const char *user_agent, const char *authorities, const void *body,
               size_t length, long connect_milliseconds, int direct, ccurl_writer writer, void *context) {
    // TLS may write to a connection that the peer has closed, which would raise SIGPIPE.
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);

    void *easy = session->easy;
    session->error[0] = 0;
    // The only expected failure is lack of memory; an unknown option would leave a request without its safeguards.
    int code = curl.easy_setopt(easy, URL, url);
    if (code == 0) code = curl.easy_setopt(easy, USERAGENT, user_agent);
    if (code == 0) code = curl.easy_setopt(easy, HTTPHEADER, session->headers);
    if (code == 0 && body == NULL) code = curl.easy_setopt(easy, HTTPGET, 1L);
    if (code == 0 && body != NULL) code = curl.easy_setopt(easy, POSTFIELDS, body);
    if (code == 0 && body != NULL) code = curl.easy_setopt(easy, POSTFIELDSIZE, (long)length);
    if (code == 0) code = curl.easy_setopt(easy, ERRORBUFFER, session->error);
    if (code == 0) code = curl.easy_setopt(easy, WRITEFUNCTION, writer);
    if (code == 0) code = curl.easy_setopt(easy, WRITEDATA, context);
    if (code == 0) code = curl.easy_setopt(easy, NOSIGNAL, 1L);
    if (code == 0) code = curl.easy_setopt(easy, FOLLOWLOCATION, 0L);
    if (code == 0) code = curl.easy_setopt(easy, PROTOCOLS, (long)HTTP_AND_HTTPS);
    if (code == 0) code = curl.easy_setopt(easy, CONNECTTIMEOUT_MS, connect_milliseconds);
    if (code == 0 && authorities != NULL) code = curl.easy_setopt(easy, CAINFO, authorities);
    if (code == 0 && direct) code = curl.easy_setopt(easy, PROXY, "");
    if (code == 0) {
        code = curl.multi_add_handle(session->multi, easy) == 0 ? run(session) : ABORTED;
        curl.multi_remove_handle(session->multi, easy);
    }
    curl.easy_setopt(easy, HTTPHEADER, NULL);
    curl.slist_free_all(session->headers);
    session->headers = NULL;
    return code;
}

void ccurl_stop(struct ccurl_session *session) {
    atomic_store(&session->stopped, 1);
    curl.multi_wakeup(session->multi);
}

const char *ccurl_error(const struct ccurl_session *session, int code) {
    return session->error[0] != 0 ? session->error : curl.easy_strerror(code);
}

long ccurl_status(const struct ccurl_session *session) {
    long status = 0;
    curl.easy_getinfo(session->easy, RESPONSE_CODE, &status);
    return status;
}

static const char *text(const struct ccurl_session *session, int information) {
    char *text = NULL;
    curl.easy_getinfo(session->easy, information, &text);
    return text;
}

const char *ccurl_content_type(const struct ccurl_session *session) { return text(session, CONTENT_TYPE); }

const char *ccurl_redirection(const struct ccurl_session *session) { return text(session, REDIRECT_URL); }

int64_t ccurl_retry_after(const struct ccurl_session *session) {
    int64_t seconds = 0;
    curl.easy_getinfo(session->easy, RETRY_AFTER, &seconds);
    return seconds;
}
