// The names of the interface for the enumerations of the header.
#ifndef LOCATIOND_ENUMERATIONS_H
#define LOCATIOND_ENUMERATIONS_H

#include "fields.h"

extern const struct enumeration accuracy_bases, modes, augmentations, antennas, implausibilities, bases, methods, authorizations,
    accuracies, source_states, activity_types, levels, region_states, region_events;

#endif
