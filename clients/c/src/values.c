#include "values.h"

#include <stdlib.h>
#include <string.h>

#include "tables.h"

#define FIELDS(table) (table).fields, (table).count

void list_free(struct list *list) {
    free(list->block);
    free(list->pointers);
    *list = (struct list) {0};
}

void status_storage_free(struct status_storage *storage) {
    list_free(&storage->sources);
    list_free(&storage->compasses);
}

/// Makes `count` zeroed objects with room after each.
static bool list_resize(struct list *list, size_t count, size_t size) {
    size_t stride = size + growth_limit;
    if (count > list->capacity) {
        list_free(list);
        list->block = malloc(count * stride);
        list->pointers = malloc(count * sizeof *list->pointers);
        if (list->block == NULL || list->pointers == NULL) {
            list_free(list);
            return false;
        }
        list->capacity = count;
    }
    list->count = count;
    if (count > 0) {
        memset(list->block, 0, count * stride);
    }
    for (size_t index = 0; index < count; index++) {
        list->pointers[index] = (char *)list->block + index * stride;
    }
    return true;
}

/// Reads an array of at most `limit` objects of `size` bytes that begin with `present`. False if there is none, or the reading
/// has failed.
static bool read_list(struct reading *reading, const json_t *object, const char *name, size_t limit, struct list *list,
                      size_t size, const struct field *fields, size_t field_count) {
    const json_t *array = read_array(reading, object, name);
    list->count = 0;
    if (array == NULL) {
        return false;
    }
    // Before memory is made for them: each element takes far more of it than of the message.
    if (json_array_size(array) > limit) {
        return reading_fail(reading, name, "has too many elements");
    }
    if (!list_resize(list, json_array_size(array), size)) {
        return reading_fail(reading, name, "exceeds the memory");
    }
    for (size_t index = 0; index < list->count; index++) {
        const json_t *element = json_array_get(array, index);
        if (!json_is_object(element)) {
            return reading_fail(reading, name, "has an element that is no object");
        }
        void *place = (void *)list->pointers[index];
        if (!read_fields(reading, element, fields, field_count, place, place)) {
            return false;
        }
    }
    return true;
}

bool read_location(struct reading *reading, const json_t *object, const char *name, struct locationd_location *location) {
    const json_t *value = read_object(reading, object, name);
    *location = (struct locationd_location) {0};
    return value != NULL && read_fields(reading, value, FIELDS(location_table), location, &location->present);
}

bool read_status(struct reading *reading, const json_t *object, struct status_storage *storage) {
    const json_t *value = read_object(reading, object, "status");
    struct locationd_status *status = &storage->status.value;
    *status = (struct locationd_status) {.connected = true};
    if (value == NULL || !read_fields(reading, value, FIELDS(status_table), status, &status->present)) {
        return false;
    }
    const size_t size = sizeof(struct locationd_ranked_source);
    if (read_list(reading, value, "sources", source_limit, &storage->sources, size, FIELDS(ranked_source_table))) {
        status->present |= LOCATIOND_STATUS_HAS_SOURCES;
        status->source_count = storage->sources.count;
        status->sources = (const struct locationd_ranked_source *const *)storage->sources.pointers;
    }
    if (read_list(reading, value, "compasses", source_limit, &storage->compasses, size, FIELDS(ranked_source_table))) {
        status->present |= LOCATIOND_STATUS_HAS_COMPASSES;
        status->compass_count = storage->compasses.count;
        status->compasses = (const struct locationd_ranked_source *const *)storage->compasses.pointers;
    }
    return !reading->has_failed;
}

bool read_heading(struct reading *reading, const json_t *object, struct locationd_heading *heading) {
    const json_t *value = read_object(reading, object, "heading");
    *heading = (struct locationd_heading) {0};
    return value != NULL && read_fields(reading, value, FIELDS(heading_table), heading, &heading->present);
}

bool read_visit(struct reading *reading, const json_t *object, struct locationd_visit *visit) {
    const json_t *value = read_object(reading, object, "visit");
    *visit = (struct locationd_visit) {0};
    return value != NULL && read_fields(reading, value, FIELDS(visit_table), visit, &visit->present);
}

bool read_satellites(struct reading *reading, const json_t *object, struct list *satellites) {
    return read_list(reading, object, "satellites", satellite_limit, satellites, sizeof(struct locationd_satellite),
                     FIELDS(satellite_table));
}

bool read_region_report(struct reading *reading, const json_t *object, struct locationd_region_report *report,
                        struct locationd_location *location) {
    const json_t *value = read_object(reading, object, "region");
    *report = (struct locationd_region_report) {0};
    if (value == NULL || !read_fields(reading, value, FIELDS(region_report_table), report, NULL)) {
        return false;
    }
    if (read_location(reading, value, "location", location)) {
        report->present |= LOCATIOND_REGION_REPORT_HAS_LOCATION;
        report->location = location;
    }
    return !reading->has_failed;
}

void read_dropped(struct reading *reading, const json_t *object, uint64_t *dropped) {
    static const struct field field = {.name = "dropped", .kind = FIELD_INT64};
    int64_t count = 0;
    if (read_fields(reading, object, &field, 1, &count, NULL) && count < 0) {
        reading_fail(reading, field.name, "is out of range");
    } else if (!reading->has_failed) {
        *dropped = *dropped > UINT64_MAX - (uint64_t)count ? UINT64_MAX : *dropped + (uint64_t)count;
    }
}
