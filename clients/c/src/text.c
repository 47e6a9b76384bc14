#include "text.h"

#include <stdio.h>
#include <string.h>

/// The number of bytes of UTF-8 that fit into `limit`, of a text that goes on after it.
static size_t length_within(const char *text, size_t limit) {
    while (limit > 0 && ((unsigned char)text[limit] & 0xC0) == 0x80) {
        limit--;
    }
    return limit;
}

void text_copy(char *to, size_t size, const char *from) {
    size_t length = strnlen(from, size);
    if (length == size) {
        length = length_within(from, size - 1);
    }
    memcpy(to, from, length);
    memset(to + length, 0, size - length);
}

void text_copy_snake_case(char *to, size_t size, const char *name) {
    char whole[1024];
    size_t length = 0;
    for (; *name != '\0' && length + 2 < sizeof whole; name++) {
        bool is_upper = *name >= 'A' && *name <= 'Z';
        if (is_upper) {
            whole[length++] = '_';
        }
        whole[length++] = (char)(is_upper ? *name - 'A' + 'a' : *name);
    }
    whole[length] = '\0';
    text_copy(to, size, whole);
}

void text_format_list(char *to, size_t size, const char *format, va_list arguments) {
    char whole[2048];
    int length = vsnprintf(whole, sizeof whole, format, arguments);
    if (length < 0) {
        whole[0] = '\0';
    } else if ((size_t)length >= sizeof whole) {
        // The byte after the last one is not known any more: the last character goes, whether it is complete or not.
        whole[length_within(whole, sizeof whole - 2)] = '\0';
    }
    text_copy(to, size, whole);
}

void text_format(char *to, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    text_format_list(to, size, format, arguments);
    va_end(arguments);
}

/// Reads exactly `count` digits and advances; false if there are fewer.
static bool read_digits(const char **text, int count, int64_t *value) {
    *value = 0;
    for (int index = 0; index < count; index++, (*text)++) {
        if (**text < '0' || **text > '9') {
            return false;
        }
        *value = *value * 10 + (**text - '0');
    }
    return true;
}

static bool read_mark(const char **text, const char *marks) {
    if (**text == '\0' || strchr(marks, **text) == NULL) {
        return false;
    }
    (*text)++;
    return true;
}

/// Days since 1970-01-01 in the Gregorian calendar, for years from 0: of years that begin in March, so that a leap day is last.
static int64_t days_since_epoch(int64_t year, int64_t month, int64_t day) {
    int64_t shifted = month <= 2 ? year - 1 + 400 : year + 400;
    int64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + day_of_year - 719468 - 146097;
}

bool text_read_time(const char *text, int64_t *milliseconds) {
    int64_t year, month, day, hour, minute, second, fraction = 0, offset = 0;
    if (!read_digits(&text, 4, &year) || !read_mark(&text, "-") || !read_digits(&text, 2, &month) || !read_mark(&text, "-")
        || !read_digits(&text, 2, &day) || !read_mark(&text, "Tt ") || !read_digits(&text, 2, &hour) || !read_mark(&text, ":")
        || !read_digits(&text, 2, &minute) || !read_mark(&text, ":") || !read_digits(&text, 2, &second)) {
        return false;
    }
    // 60 is a leap second.
    if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60) {
        return false;
    }
    if (read_mark(&text, ".")) {
        int64_t digit, scale = 100;
        if (!read_digits(&text, 1, &digit)) {
            return false;
        }
        do {
            fraction += digit * scale;
            scale /= 10;
        } while (*text >= '0' && *text <= '9' && read_digits(&text, 1, &digit));
    }
    if (!read_mark(&text, "Zz")) {
        int64_t hours, minutes, sign = *text == '-' ? -1 : 1;
        if (!read_mark(&text, "+-") || !read_digits(&text, 2, &hours) || !read_mark(&text, ":") || !read_digits(&text, 2, &minutes)
            || hours > 23 || minutes > 59) {
            return false;
        }
        offset = sign * (hours * 60 + minutes) * 60;
    }
    if (*text != '\0') {
        return false;
    }
    int64_t seconds = days_since_epoch(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - offset;
    *milliseconds = seconds * 1000 + fraction;
    return true;
}
