// Errors as codes with a sentence that says what happened and what to do.
#ifndef LOCATIOND_ERRORS_H
#define LOCATIOND_ERRORS_H

#include <jansson.h>
#include <stddef.h>

/// What stands for errors in a reply, and the sentence for it. 0 if the reply is none.
int error_of_reply(const json_t *reply, char *sentence, size_t size);

/// The sentence for a connection that was not made, or was lost, because of an error number.
void describe_connect_error(int error, const char *path, char *sentence, size_t size);
void describe_receive_error(int error, char *sentence, size_t size);

#endif
