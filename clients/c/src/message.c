#include "message.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    /// Deeper messages are refused, because jansson recurses, and a thread's stack may be small. Those of locationd have 6.
    depth_limit = 32,
    /// Integers up to this many digits fit into 64 bits.
    safe_digits = 18
};

/// What stands before and after the text of a number.
static const char opening[] = "\"\\u0000", closing[] = "\"";

bool buffer_reserve(struct buffer *buffer, size_t more) {
    size_t needed = buffer->length + more;
    if (needed <= buffer->capacity) {
        return true;
    }
    size_t capacity = buffer->capacity < 4096 ? 4096 : buffer->capacity;
    while (capacity < needed) {
        capacity *= 2;
    }
    char *bytes = realloc(buffer->bytes, capacity);
    if (bytes == NULL) {
        return false;
    }
    buffer->bytes = bytes;
    buffer->capacity = capacity;
    return true;
}

void buffer_free(struct buffer *buffer) {
    free(buffer->bytes);
    *buffer = (struct buffer) {0};
}

static bool buffer_append(struct buffer *buffer, const char *bytes, size_t length) {
    if (length == 0) {
        return true;
    }
    if (!buffer_reserve(buffer, length)) {
        return false;
    }
    memcpy(buffer->bytes + buffer->length, bytes, length);
    buffer->length += length;
    return true;
}

static const char *skip_digits(const char *place, const char *end) {
    while (place < end && *place >= '0' && *place <= '9') {
        place++;
    }
    return place;
}

/// The end of the number at `place`, in JSON's grammar; `place` itself if there is none. Says whether to keep it as text.
static const char *end_of_number(const char *place, const char *end, bool *is_text) {
    const char *digits = place < end && *place == '-' ? place + 1 : place;
    const char *next = skip_digits(digits, end);
    if (next == digits || (*digits == '0' && next > digits + 1)) {
        return place;
    }
    *is_text = next - digits > safe_digits;
    if (next < end && *next == '.') {
        const char *fraction = skip_digits(next + 1, end);
        if (fraction == next + 1) {
            return place;
        }
        *is_text = true;
        next = fraction;
    }
    if (next < end && (*next == 'e' || *next == 'E')) {
        const char *exponent = next + 1;
        if (exponent < end && (*exponent == '+' || *exponent == '-')) {
            exponent++;
        }
        next = skip_digits(exponent, end);
        if (next == exponent) {
            return place;
        }
        *is_text = true;
    }
    return next;
}

/// The end of the string whose quote is at `place`, after its closing one; NULL if it has none, or the string has NUL.
static const char *end_of_string(const char *place, const char *end) {
    for (place++; place < end; place++) {
        if (*place == '"') {
            return place + 1;
        }
        if (*place == '\\') {
            if (end - place >= 6 && memcmp(place, "\\u0000", 6) == 0) {
                return NULL;
            }
            place++;
        }
    }
    return NULL;
}

/// Writes the message to `scratch`, with numbers as texts.
static bool quote_numbers(const char *message, size_t length, struct buffer *scratch, const char **problem) {
    const char *end = message + length, *copied = message, *place = message;
    int depth = 0, values = 0;
    scratch->length = 0;
    *problem = "memory is exhausted";
    while (place < end) {
        char character = *place;
        if (character == '"') {
            place = end_of_string(place, end);
            if (place == NULL) {
                *problem = "a string has no end, or has NUL";
                return false;
            }
        } else if (character == '-' || (character >= '0' && character <= '9')) {
            bool is_text = false;
            const char *next = end_of_number(place, end, &is_text);
            if (next == place) {
                *problem = "a number is malformed";
                return false;
            }
            if (is_text) {
                if (!buffer_append(scratch, copied, (size_t)(place - copied))
                    || !buffer_append(scratch, opening, sizeof opening - 1)
                    || !buffer_append(scratch, place, (size_t)(next - place))
                    || !buffer_append(scratch, closing, sizeof closing - 1)) {
                    return false;
                }
                copied = next;
            }
            place = next;
        } else {
            bool is_opening = character == '{' || character == '[';
            depth += is_opening - (character == '}' || character == ']');
            if (depth > depth_limit) {
                *problem = "it is too deep";
                return false;
            }
            // An object or array has a first value at most after its opening, and one after each comma.
            values += is_opening || character == ',';
            if (values > value_limit) {
                *problem = "it has too many values";
                return false;
            }
            place++;
        }
    }
    return buffer_append(scratch, copied, (size_t)(end - copied));
}

json_t *message_decode(const char *message, size_t length, struct buffer *scratch, const char **problem) {
    if (length > message_limit) {
        *problem = "it exceeds 1 MiB";
        return NULL;
    }
    if (!quote_numbers(message, length, scratch, problem)) {
        return NULL;
    }
    json_t *tree = json_loadb(scratch->bytes, scratch->length, JSON_ALLOW_NUL, NULL);
    if (tree == NULL) {
        *problem = "it is no JSON in UTF-8, or memory is exhausted";
    } else if (!json_is_object(tree)) {
        *problem = "it is no object";
        json_decref(tree);
        tree = NULL;
    }
    return tree;
}

/// The text of a number that is kept as one, or NULL.
static const char *number_text(const json_t *value) {
    return json_is_string(value) && json_string_length(value) > 1 && *json_string_value(value) == '\0'
        ? json_string_value(value) + 1 : NULL;
}

bool message_number(const json_t *value, double *number) {
    if (json_is_integer(value)) {
        *number = (double)json_integer_value(value);
        return true;
    }
    const char *text = number_text(value);
    if (text == NULL) {
        return false;
    }
    // The whole locale "C" is a constant object, which is not freed.
    *number = strtod_l(text, NULL, newlocale(LC_ALL_MASK, "C", NULL));
    return isfinite(*number);
}

bool message_integer(const json_t *value, int64_t *integer) {
    if (json_is_integer(value)) {
        *integer = json_integer_value(value);
        return true;
    }
    const char *text = number_text(value);
    if (text == NULL) {
        return false;
    }
    char *end;
    errno = 0;
    *integer = strtoll(text, &end, 10);
    return errno == 0 && *end == '\0';
}

const char *message_text(const json_t *value) {
    return number_text(value) == NULL ? json_string_value(value) : NULL;
}

static int append_chunk(const char *bytes, size_t length, void *buffer) {
    return buffer_append(buffer, bytes, length) ? 0 : -1;
}

bool message_encode(const json_t *message, struct buffer *to) {
    size_t before = to->length;
    // jansson formats numbers in the locale of the thread. With 15 digits it writes 0.1, and not 0.10000000000000001.
    locale_t previous = uselocale(newlocale(LC_ALL_MASK, "C", NULL));
    int result = json_dump_callback(message, append_chunk, to, JSON_COMPACT | JSON_REAL_PRECISION(15));
    uselocale(previous);
    if (result != 0 || !buffer_append(to, "", 1)) {
        to->length = before;
        return false;
    }
    return true;
}
