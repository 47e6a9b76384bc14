#include "CGPSVersion.h"
#include <gps.h>

int cgpsversion_api_major(void) { return GPSD_API_MAJOR_VERSION; }
