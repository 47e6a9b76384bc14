// Reads the fields of a JSON object to a struct, as a table says, and checks each.
#ifndef LOCATIOND_FIELDS_H
#define LOCATIOND_FIELDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Padding after the last member would be within the size that a program passes, with bytes that mean nothing: a later
/// member there would be taken for one that the program has set, and an unknown one not be noticed. It is named
/// `reserved` instead.
#define HAS_NO_PADDING(type, last) \
    _Static_assert(offsetof(struct locationd_##type, last) + sizeof(((struct locationd_##type *)0)->last) \
                   == sizeof(struct locationd_##type), #type " has padding")

/// The names of an enumeration at their values; 0 has none.
struct enumeration {
    const char *const *names;
    int count;
};

enum field_kind {
    FIELD_NUMBER, FIELD_INT32, FIELD_INT64, FIELD_BOOLEAN, FIELD_TEXT, FIELD_TIME, FIELD_ENUMERATION, FIELD_OBJECT
};

struct field {
    const char *name;
    enum field_kind kind;
    bool is_required;
    bool is_below_maximum; ///< Whether the maximum itself is out of range.
    size_t offset, size;   ///< Where in the struct; the size of a text's array.
    uint64_t bit;          ///< Its bit in `present`; 0 for one that always has a value.
    double minimum, maximum;
    const struct enumeration *enumeration;
    const struct field_table *object;
};

struct field_table {
    const struct field *fields;
    size_t count;
    bool has_present; ///< Whether the struct begins with `present`.
};

/// What is wrong with a reply, once something is: then it is unreadable, and nothing of it is given out.
struct reading {
    bool has_failed;
    char problem[200];
};

/// Notes what is wrong with a field, unless something was before. Returns false.
bool reading_fail(struct reading *reading, const char *field, const char *problem);

/// Fills `to` from an object. `present` receives the bits; it may be NULL if no field has one. False if it has failed.
bool read_fields(struct reading *reading, const json_t *object, const struct field *fields, size_t count, void *to,
                 uint64_t *present);

/// A member, or NULL if it is absent, which null says as well.
json_t *read_member(const json_t *object, const char *name);

/// A member that is an object; NULL if it is absent, or is none, which fails.
json_t *read_object(struct reading *reading, const json_t *object, const char *name);

/// A member that is an array, likewise.
json_t *read_array(struct reading *reading, const json_t *object, const char *name);

#endif
