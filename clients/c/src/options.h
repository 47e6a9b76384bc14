// Option structs of programs of any version, and the members of JSON objects that are made of them.
#ifndef LOCATIOND_OPTIONS_H
#define LOCATIOND_OPTIONS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fields.h"
#include "locationd.h"

/// Why options were not accepted.
struct refusal {
    int error; ///< LOCATIOND_ERROR_INVALID_ARGUMENT or LOCATIOND_ERROR_NO_MEMORY.
    char sentence[200];
};

/**
 * Takes the options of a program of any version: copies what this library knows of them to `options`, and refuses what it does
 * not know and is not zero. `given` may be NULL for the defaults.
 */
bool take_options(void *options, size_t size, const void *given, struct refusal *refusal);

/// A member of an option struct: a number or boolean is sent if its bit is set, a text if it is not NULL, an
/// enumeration if it is not 0.
struct option {
    const char *name;
    enum field_kind kind;
    size_t offset;
    uint64_t bit;
    bool is_local; ///< Whether it is for the library alone, and not sent.
    const struct enumeration *enumeration;
};

struct option_table {
    const struct option *options;
    size_t count;
};

/// Refuses an option, unless something was refused before. Returns NULL.
json_t *refuse(struct refusal *refusal, const char *option, const char *problem);

/// Copies `given_size` bytes to the `size` that this library knows; false if any of the others is not zero.
bool copy_known(void *to, size_t size, const void *given, size_t given_size);

/// Sets a member, of which the object becomes the owner; NULL is exhausted memory.
void set(struct refusal *refusal, json_t *object, const char *name, json_t *value);

/// Sets what of the table is given. `other_bits` are those of other members.
void set_options(struct refusal *refusal, json_t *object, const struct option_table *table, const void *options,
                 uint64_t present, uint64_t other_bits);

/// Sets a text that is not NULL.
void set_text(struct refusal *refusal, json_t *object, const char *name, const char *text);

/// Finishes parameters: NULL if anything of them was refused.
json_t *finish(struct refusal *refusal, json_t *object);

#endif
