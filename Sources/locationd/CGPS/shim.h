#ifndef CGPS_SHIM_H
#define CGPS_SHIM_H

#include <gps.h>

// API 10 (gpsd 3.21) moved status into the fix; everything read here exists since then.
_Static_assert(GPSD_API_MAJOR_VERSION >= 10, "libgps of gpsd 3.21 or later is needed: install a newer libgps-dev");

// API 14 takes const char *, API 10 to 13 char *; neither writes to the text.
static inline int cgps_unpack(const char *line, struct gps_data_t *data) { return gps_unpack((char *)line, data); }

// API 11 and 12 moved the attitude between a union and a member; taking its address works in both.
static inline const struct attitude_t *cgps_attitude(const struct gps_data_t *data) { return &data->attitude; }

// The heading from magnetic north, which libgps reads since API 14, gpsd 3.25. NaN is unknown.
static inline double cgps_magnetic_heading(const struct gps_data_t *data) {
#if GPSD_API_MAJOR_VERSION >= 14
  return data->attitude.mheading;
#else
  (void)data;
  return __builtin_nan("");
#endif
}

// The pseudorange errors are in a union until gpsd 3.26.1: they are valid right after their own message.
static inline const struct gst_t *cgps_errors(const struct gps_data_t *data) { return &data->gst; }

// The state of the antenna (gps.h: 0 is unknown, 1 ok, 2 open, 3 short) and the jamming indicator (-1 is unknown): read by
// libgps since API 15, gpsd 3.26.
static inline int cgps_antenna(const struct gps_data_t *data) {
#if GPSD_API_MAJOR_VERSION >= 15
  return data->fix.ant_stat;
#else
  (void)data;
  return 0;
#endif
}
static inline int cgps_jamming(const struct gps_data_t *data) {
#if GPSD_API_MAJOR_VERSION >= 15
  return data->fix.jam;
#else
  (void)data;
  return -1;
#endif
}

// The sky view is a C array of 140 or 184 entries, which Swift imports as a tuple; a pointer to its first entry is
// easier to read.
static inline const struct satellite_t *cgps_skyview(const struct gps_data_t *data) { return data->skyview; }
static inline int cgps_skyview_capacity(void) { return MAXCHANNELS; }

#endif
