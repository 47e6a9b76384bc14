// The parameters of calls, made from the option structs of the header.
#ifndef LOCATIOND_REQUEST_H
#define LOCATIOND_REQUEST_H

#include "locationd.h"
#include "options.h"

/// Each returns the parameters, to be released, or NULL, then `refusal` says why.
json_t *get_parameters(const struct locationd_get_options *options, struct refusal *refusal);
json_t *watch_parameters(const struct locationd_watch_options *options, struct refusal *refusal);
json_t *monitor_parameters(const struct locationd_monitor_options *options, struct refusal *refusal);
json_t *region_change_parameters(const struct locationd_region_changes *changes, struct refusal *refusal);
json_t *authorization_parameters(const struct locationd_authorization_options *options, struct refusal *refusal);
json_t *no_parameters(struct refusal *refusal);
json_t *name_parameters(const char *name, struct refusal *refusal);

#endif
