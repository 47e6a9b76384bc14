#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/nl80211.h>
