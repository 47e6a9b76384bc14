#ifndef CMOSQUITTO_SHIM_H
#define CMOSQUITTO_SHIM_H

#include <mosquitto.h>

// The options for the system's certificates and the callbacks of MQTT 5 exist since then.
_Static_assert(LIBMOSQUITTO_VERSION_NUMBER >= 2000000, "libmosquitto 2.0 or later is needed: install a newer libmosquitto-dev");

#endif
