// GET and POST by libcurl (libcurl(3)), loaded at run time: a process that sends no requests loads neither that library nor the
// thirty it needs, and the library may be missing. <curl/curl.h> is not needed to build.
#ifndef CCURL_H
#define CCURL_H

#include <stddef.h>
#include <stdint.h>

/// Loads the library of that name, such as "libcurl.so.4", version 7.68 or later. Returns 0, or -1 if it or one of its
/// functions is missing. The library is never unloaded. Not for two threads at once.
int ccurl_load(const char *name);

/// A session: one request at a time, over a connection that is kept for the next. Everything but ccurl_stop() is for
/// one thread at a time, and needs ccurl_load() before.
struct ccurl_session;

/// Returns NULL if memory is exhausted.
struct ccurl_session *ccurl_open(void);
void ccurl_close(struct ccurl_session *session);

/// Receives a piece of the body. Returning a number other than `length` aborts the request.
typedef size_t (*ccurl_writer)(char *bytes, size_t one, size_t length, void *context);

/// Adds a line such as "Accept: application/json" to the head of the next request. Returns 0, or -1 if memory is exhausted.
int ccurl_add_header(struct ccurl_session *session, const char *line);

/// Sends a GET, or a POST of the `length` bytes at `body` if that is not NULL, and blocks until the end of the response, without a time-out
/// but that of connecting (0 for libcurl's own), or until ccurl_stop(). HTTP and HTTPS only; without redirections, cookies, passwords or
/// compression. `authorities` is the file of those whose certificates are believed; NULL for the system's. `direct` ignores all proxies.
/// Returns 0 if there is a response, whatever its status. The calling thread is left with SIGPIPE blocked.
int ccurl_send(struct ccurl_session *session, const char *url, const char *user_agent, const char *authorities, const void *body,
               size_t length, long connect_milliseconds, int direct, ccurl_writer writer, void *context);

/// Cancels the request in progress, or else the next one. Any thread may call it.
void ccurl_stop(struct ccurl_session *session);

/// The description of a failure of ccurl_send().
const char *ccurl_error(const struct ccurl_session *session, int code);

/// The values of the last response; strings are valid until the next request, and NULL if there is none.
long ccurl_status(const struct ccurl_session *session);
const char *ccurl_content_type(const struct ccurl_session *session);
const char *ccurl_redirection(const struct ccurl_session *session);
/// Seconds, also if the response has a date; 0 if there is none.
int64_t ccurl_retry_after(const struct ccurl_session *session);

#endif
