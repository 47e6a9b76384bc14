#include "fields.h"

#include <string.h>

#include "message.h"
#include "text.h"

bool reading_fail(struct reading *reading, const char *field, const char *problem) {
    if (!reading->has_failed) {
        reading->has_failed = true;
        text_format(reading->problem, sizeof reading->problem, "`%s` %s", field, problem);
    }
    return false;
}

json_t *read_member(const json_t *object, const char *name) {
    json_t *value = json_object_get(object, name);
    return json_is_null(value) ? NULL : value;
}

json_t *read_object(struct reading *reading, const json_t *object, const char *name) {
    json_t *value = read_member(object, name);
    if (value != NULL && !json_is_object(value)) {
        reading_fail(reading, name, "is no object");
        value = NULL;
    }
    return value;
}

json_t *read_array(struct reading *reading, const json_t *object, const char *name) {
    json_t *value = read_member(object, name);
    if (value != NULL && !json_is_array(value)) {
        reading_fail(reading, name, "is no array");
        value = NULL;
    }
    return value;
}

static bool is_in_range(const struct field *field, double value) {
    return value >= field->minimum && (field->is_below_maximum ? value < field->maximum : value <= field->maximum);
}

static bool read_number(struct reading *reading, const struct field *field, const json_t *value, void *place) {
    double number;
    if (!message_number(value, &number)) {
        return reading_fail(reading, field->name, "is no finite number");
    }
    if (!is_in_range(field, number)) {
        return reading_fail(reading, field->name, "is out of range");
    }
    memcpy(place, &number, sizeof number);
    return true;
}

static bool read_integer(struct reading *reading, const struct field *field, const json_t *value, void *place) {
    int64_t integer;
    if (!message_integer(value, &integer)) {
        return reading_fail(reading, field->name, "is no integer of 64 bits");
    }
    if (field->kind == FIELD_INT64) {
        memcpy(place, &integer, sizeof integer);
        return true;
    }
    if (!is_in_range(field, (double)integer)) {
        return reading_fail(reading, field->name, "is out of range");
    }
    int32_t small = (int32_t)integer;
    memcpy(place, &small, sizeof small);
    return true;
}

static bool read_text(struct reading *reading, const struct field *field, const json_t *value, void *place) {
    const char *text = message_text(value);
    if (text == NULL) {
        return reading_fail(reading, field->name, "is no string");
    }
    if (field->kind == FIELD_TEXT) {
        text_copy(place, field->size, text);
        return true;
    }
    int64_t milliseconds;
    if (field->kind == FIELD_TIME) {
        if (!text_read_time(text, &milliseconds)) {
            return reading_fail(reading, field->name, "is no time");
        }
        memcpy(place, &milliseconds, sizeof milliseconds);
        return true;
    }
    // A name that is not known is a later daemon's, and read as unknown. All enumerations have the size of an int.
    int found = 0;
    for (int index = 1; index < field->enumeration->count && found == 0; index++) {
        if (strcmp(field->enumeration->names[index], text) == 0) {
            found = index;
        }
    }
    memcpy(place, &found, sizeof found);
    return true;
}

static bool read_inner_object(struct reading *reading, const struct field *field, const json_t *value, void *place) {
    const struct field_table *table = field->object;
    if (!json_is_object(value)) {
        return reading_fail(reading, field->name, "is no object");
    }
    return read_fields(reading, value, table->fields, table->count, place, table->has_present ? place : NULL);
}

static bool read_field(struct reading *reading, const struct field *field, const json_t *value, void *place) {
    switch (field->kind) {
    case FIELD_NUMBER:
        return read_number(reading, field, value, place);
    case FIELD_INT32:
    case FIELD_INT64:
        return read_integer(reading, field, value, place);
    case FIELD_BOOLEAN:
        if (!json_is_boolean(value)) {
            return reading_fail(reading, field->name, "is no boolean");
        }
        *(bool *)place = json_is_true(value);
        return true;
    case FIELD_TEXT:
    case FIELD_TIME:
    case FIELD_ENUMERATION:
        return read_text(reading, field, value, place);
    case FIELD_OBJECT:
        return read_inner_object(reading, field, value, place);
    }
    return false;
}

bool read_fields(struct reading *reading, const json_t *object, const struct field *fields, size_t count, void *to,
                 uint64_t *present) {
    for (size_t index = 0; index < count && !reading->has_failed; index++) {
        const struct field *field = &fields[index];
        const json_t *value = read_member(object, field->name);
        if (value == NULL) {
            if (field->is_required) {
                reading_fail(reading, field->name, "is missing");
            }
        } else if (read_field(reading, field, value, (char *)to + field->offset) && present != NULL) {
            *present |= field->bit;
        }
    }
    return !reading->has_failed;
}
