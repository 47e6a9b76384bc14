// Becomes a command behind locationd-nearby's filter of system calls, where somebody is who has taken that program over.
#include <stdio.h>
#include <unistd.h>

#include "CSeccomp.h"

int main(int count, char **words) {
    if (count < 2) return 2;
    if (cseccomp_limit_to_generic_netlink() != 0) {
        perror("the filter");
        return 1;
    }
    execv(words[1], words + 1);
    perror(words[1]);
    return 127;
}
