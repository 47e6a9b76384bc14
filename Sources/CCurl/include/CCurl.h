// GET by libcurl (libcurl(3)), found at run time: who asks nobody on the network carries neither that library nor the
// thirty it needs. Where it is missing, that is an answer too. <curl/curl.h> is not needed to build.
#ifndef CCURL_H
#define CCURL_H

#include <stddef.h>
#include <stdint.h>

/// Loads the library of that name, such as "libcurl.so.4", version 7.68 or later. Returns 0, or -1 if there is none here
/// or a function is missing. Once loaded it stays so. Not for two threads at once.
int ccurl_load(const char *name);

/// One request at a time, over a connection that is kept for the next. Everything but ccurl_stop() is for one thread at
/// a time, and asks for ccurl_load() before.
struct ccurl_session;

/// Returns NULL if there is no memory.
struct ccurl_session *ccurl_open(void);
void ccurl_close(struct ccurl_session *session);

/// Takes a piece of the body. Whoever returns another number than `length` has enough.
typedef size_t (*ccurl_writer)(char *bytes, size_t one, size_t length, void *context);

/// Asks for an address and waits for the end of the answer, for ever if need be, or until ccurl_stop(). HTTP and HTTPS
/// alone; redirections are not followed, no cookies, no passwords, no compression. `direct` is without any proxy.
/// Returns 0 if there is an answer, of whatever status. To be called on a thread that may be left without SIGPIPE.
int ccurl_get(struct ccurl_session *session, const char *url, const char *user_agent, const char *accept, int direct,
              ccurl_writer writer, void *context);

/// Ends the request that is under way, or else the next one. For any thread.
void ccurl_stop(struct ccurl_session *session);

/// Why ccurl_get() failed, in words.
const char *ccurl_error(const struct ccurl_session *session, int code);

/// Of the last answer; texts last until the next request and are NULL if there is none.
long ccurl_status(const struct ccurl_session *session);
const char *ccurl_content_type(const struct ccurl_session *session);
const char *ccurl_redirection(const struct ccurl_session *session);
/// Seconds, also where a date was given; 0 if there is none.
int64_t ccurl_retry_after(const struct ccurl_session *session);

#endif
