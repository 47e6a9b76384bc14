// The version of libgps' header. Nothing of the library is linked.
#ifndef CGPSVERSION_H
#define CGPSVERSION_H

int cgpsversion_api_major(void);

#endif
