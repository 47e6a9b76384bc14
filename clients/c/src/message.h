// Messages of Varlink as trees of JSON: the one place that decodes and encodes.
#ifndef LOCATIOND_MESSAGE_H
#define LOCATIOND_MESSAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    /// The longest message, without its NUL.
    message_limit = 1 << 20,
    /// Values in a message, so that its tree takes 8 MiB at most. The longest lists that are read have fewer than 10,000.
    value_limit = 1 << 15
};

/// Memory that grows as needed.
struct buffer {
    char *bytes;
    size_t length, capacity;
};

/// Makes room for `more` bytes after `length`; false if memory is exhausted.
bool buffer_reserve(struct buffer *buffer, size_t more);
void buffer_free(struct buffer *buffer);

/**
 * Decodes a message, without its NUL: an object, or NULL, then `problem` says why.
 *
 * Numbers with a fraction or an exponent, and integers of more than 18 digits, stand in the tree as strings that begin with
 * NUL, for message_number() and message_integer(). jansson up to 2.14 gives them to strtod(3) with the decimal point of
 * localeconv(3), which is not safe beside other threads, and aborts the program where the point has two bytes. No string of
 * the daemon can be mistaken for one: a message in which one has NUL is refused.
 *
 * @param scratch Memory that is used again for each message.
 */
json_t *message_decode(const char *message, size_t length, struct buffer *scratch, const char **problem);

/// Reads a number; false if `value` is none, or not finite.
bool message_number(const json_t *value, double *number);

/// Reads an integer; false if `value` is none, or has more than 64 bits.
bool message_integer(const json_t *value, int64_t *integer);

/// The text of a string, or NULL if `value` is none.
const char *message_text(const json_t *value);

/// Appends a message with its NUL to a buffer; false if memory is exhausted. Independent of the locale.
bool message_encode(const json_t *message, struct buffer *to);

#endif
