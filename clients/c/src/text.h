// Texts in arrays of a fixed size, which are never cut within a character.
#ifndef LOCATIOND_TEXT_H
#define LOCATIOND_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Copies UTF-8 to an array of `size` bytes; what does not fit is cut.
void text_copy(char *to, size_t size, const char *from);

/// Copies a name of the interface as the header spells it: `requiredAccuracy` as `required_accuracy`; cut likewise.
void text_copy_snake_case(char *to, size_t size, const char *name);

/// As snprintf(3), cut likewise. The locale changes nothing, as long as no format is for a floating-point number.
__attribute__((format(printf, 3, 4))) void text_format(char *to, size_t size, const char *format, ...);

__attribute__((format(printf, 3, 0))) void text_format_list(char *to, size_t size, const char *format, va_list arguments);

/// Reads a time of RFC 3339 as milliseconds since 1970-01-01 00:00 UTC; false if it is none.
bool text_read_time(const char *text, int64_t *milliseconds);

#endif
