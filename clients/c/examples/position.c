// Prints where this machine is: cc position.c $(pkg-config --cflags --libs liblocationd)
#include <locationd.h>
#include <stdio.h>

int main(void) {
    struct locationd *service;
    struct locationd_location here;
    int error = locationd_open(&service, NULL);
    if (error == 0) error = locationd_get(service, NULL, &here, sizeof here);
    if (error == 0) printf("%.6f %.6f\n", here.latitude, here.longitude);
    else fprintf(stderr, "%s\n", service ? locationd_error_message(service) : locationd_strerror(error));
    locationd_close(service);
    return error != 0 || fflush(stdout) != 0;
}
