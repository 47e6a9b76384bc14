// The objects of the interface, read from JSON to the structs of the header: the one place where values are checked.
#ifndef LOCATIOND_VALUES_H
#define LOCATIOND_VALUES_H

#include "fields.h"
#include "locationd.h"

/// Bytes by which a struct of the header may grow in total; see there.
enum { growth_limit = 1024 };

/// Elements of a list that is read: several times as many as there are satellites of all systems, and more sources than
/// anybody configures.
enum { satellite_limit = 1024, source_limit = 256 };

/// Zeroed room after an object that is given out, in which a program of a later version finds the fields of its time absent.
#define ROOM(type) \
    struct { \
        type value; \
        uint64_t room[growth_limit / sizeof(uint64_t)]; \
    }

/// Objects of a number that the daemon chooses, given out as an array of pointers, so that they can grow.
struct list {
    void *block;           ///< The objects.
    const void **pointers; ///< To each.
    size_t count, capacity;
};

void list_free(struct list *list);

/// A status with its lists.
struct status_storage {
    ROOM(struct locationd_status) status;
    struct list sources, compasses;
};

void status_storage_free(struct status_storage *storage);

/// Each fills the value from a member of that name, and returns whether there is one; false too if the reading has failed.
bool read_location(struct reading *reading, const json_t *object, const char *name, struct locationd_location *location);
bool read_status(struct reading *reading, const json_t *object, struct status_storage *storage);
bool read_heading(struct reading *reading, const json_t *object, struct locationd_heading *heading);
bool read_visit(struct reading *reading, const json_t *object, struct locationd_visit *visit);
/// `satellites` receives struct locationd_satellite.
bool read_satellites(struct reading *reading, const json_t *object, struct list *satellites);
/// `location` receives the report's location, if it has one.
bool read_region_report(struct reading *reading, const json_t *object, struct locationd_region_report *report,
                        struct locationd_location *location);
/// Adds what the reply says was dropped.
void read_dropped(struct reading *reading, const json_t *object, uint64_t *dropped);

#endif
