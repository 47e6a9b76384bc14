#include "options.h"

#include <math.h>
#include <string.h>

#include "text.h"

static const double largest_written = 1.79769313486231e308;

json_t *refuse(struct refusal *refusal, const char *option, const char *problem) {
    if (refusal->error == 0) {
        refusal->error = LOCATIOND_ERROR_INVALID_ARGUMENT;
        char name[100];
        text_copy_snake_case(name, sizeof name, option);
        text_format(refusal->sentence, sizeof refusal->sentence, "%s %s", name, problem);
    }
    return NULL;
}

void set(struct refusal *refusal, json_t *object, const char *name, json_t *value) {
    if (json_object_set_new(object, name, value) != 0 && refusal->error == 0) {
        refusal->error = LOCATIOND_ERROR_NO_MEMORY;
        text_copy(refusal->sentence, sizeof refusal->sentence, "the memory of this program is exhausted");
    }
}

json_t *finish(struct refusal *refusal, json_t *object) {
    if (object == NULL) {
        set(refusal, NULL, "", NULL);
    } else if (refusal->error != 0) {
        json_decref(object);
        object = NULL;
    }
    return object;
}

bool copy_known(void *to, size_t size, const void *given, size_t given_size) {
    const unsigned char *bytes = given;
    for (size_t index = size; index < given_size; index++) {
        if (bytes[index] != 0) {
            return false;
        }
    }
    memset(to, 0, size);
    memcpy(to, given, given_size < size ? given_size : size);
    return true;
}

bool take_options(void *options, size_t size, const void *given, struct refusal *refusal) {
    size_t given_size = size;
    memset(options, 0, size);
    if (given != NULL) {
        memcpy(&given_size, given, sizeof given_size);
        // More is no struct of any version, but an uninitialized variable.
        if (given_size < sizeof given_size || given_size > 1 << 16) {
            refuse(refusal, "the options", "have no size; initialize them by their macro");
            return false;
        }
        if (!copy_known(options, size, given, given_size)) {
            refuse(refusal, "the options", "have one that this version of the library does not know");
            return false;
        }
    }
    return true;
}

void set_text(struct refusal *refusal, json_t *object, const char *name, const char *text) {
    if (text == NULL) {
        return;
    }
    json_t *value = json_string(text);
    if (value == NULL) {
        // Which of the two it is jansson does not tell.
        refuse(refusal, name, "is no UTF-8, or the memory is exhausted");
        return;
    }
    set(refusal, object, name, value);
}

static void set_name(struct refusal *refusal, json_t *object, const char *name, const struct enumeration *enumeration,
                     int value) {
    if (value < 0 || value >= enumeration->count) {
        refuse(refusal, name, "is no value of its enumeration");
    } else if (value != 0) {
        set_text(refusal, object, name, enumeration->names[value]);
    }
}

void set_options(struct refusal *refusal, json_t *object, const struct option_table *table, const void *options,
                 uint64_t present, uint64_t other_bits) {
    for (size_t index = 0; index < table->count; index++) {
        const struct option *option = &table->options[index];
        const void *place = (const char *)options + option->offset;
        double number = 0;
        int64_t integer = 0;
        bool boolean = false;
        if (option->kind == FIELD_TEXT) {
            set_text(refusal, object, option->name, *(const char *const *)place);
            continue;
        } else if (option->kind == FIELD_ENUMERATION) {
            set_name(refusal, object, option->name, option->enumeration, *(const int *)place);
            continue;
        } else if (option->kind == FIELD_NUMBER) {
            memcpy(&number, place, sizeof number);
        } else if (option->kind == FIELD_INT64) {
            memcpy(&integer, place, sizeof integer);
        } else {
            memcpy(&boolean, place, sizeof boolean);
        }
        if ((present & option->bit) == 0) {
            if (number != 0 || integer != 0 || boolean) {
                refuse(refusal, option->name, "is set without its bit in `present`");
            }
        } else if (!isfinite(number)) {
            refuse(refusal, option->name, "is no finite number");
        } else if (!option->is_local) {
            // The largest numbers would be rounded to infinity when they are written with 15 digits.
            number = number > largest_written ? largest_written : number < -largest_written ? -largest_written : number;
            set(refusal, object, option->name, option->kind == FIELD_NUMBER ? json_real(number)
                : option->kind == FIELD_INT64 ? json_integer(integer) : json_boolean(boolean));
        }
        other_bits |= option->bit;
    }
    if ((present & ~other_bits) != 0) {
        refuse(refusal, "`present`", "has a bit that this version of the library does not know");
    }
}
