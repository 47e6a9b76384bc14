// A filter of system calls, for a program that has CAP_NET_ADMIN to let wireless devices scan and shall do nothing else with it. systemd's
// filters do not see which protocol of netlink a socket is for, or what an ioctl asks of it.
#ifndef CSECCOMP_H
#define CSECCOMP_H

/// From now on, for all threads of the process and the programs that it becomes, these fail with EPERM: sockets of netlink but generic
/// netlink's, ioctls that concern network devices, addresses and routes, options of IP sockets that concern the firewall, io_uring, which
/// no filter sees, and system calls of another architecture. Returns 0, or -1 with errno: EINVAL or ENOSYS where the kernel has no filters.
int cseccomp_limit_to_generic_netlink(void);

#endif
