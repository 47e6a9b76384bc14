/* What the C driver writes: the library's structs as the judge's events. */
#ifndef C_OUTPUT_H
#define C_OUTPUT_H

#include <jansson.h>
#include <locationd.h>

json_t *location_json(const struct locationd_location *location);
json_t *status_json(const struct locationd_status *status);
json_t *heading_json(const struct locationd_heading *heading);
json_t *satellites_json(const struct locationd_satellite *const *satellites, size_t count);
json_t *report_json(const struct locationd_region_report *report);
json_t *visit_json(const struct locationd_visit *visit);
const char *authorization_name(enum locationd_authorization authorization);

#endif
