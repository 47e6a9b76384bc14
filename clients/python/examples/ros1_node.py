"""A node of ROS 1 that publishes the machine's position as sensor_msgs/NavSatFix.

    python3 ros1_node.py [topic] [frame_id]      # "fix" and "gps" by default; needs a master, and Debian's python3-rospy and
                                                 # python3-sensor-msgs

A fix that is lost is published once as NO_FIX without a position. navsatfix.py says what the covariance means.
"""

import sys

import genpy
import rospy
from sensor_msgs.msg import NavSatFix

import locationd
import navsatfix


def ros1(fields):
    """The message of ROS 1, of the fields of navsatfix.py."""
    result = NavSatFix()
    for name in ("latitude", "longitude", "altitude", "position_covariance", "position_covariance_type"):
        setattr(result, name, fields[name])
    result.header.stamp = genpy.Time(fields["header"]["stamp"]["sec"], fields["header"]["stamp"]["nanosec"])
    result.header.frame_id = fields["header"]["frame_id"]
    result.status.status, result.status.service = fields["status"]["status"], fields["status"]["service"]
    return result


def main(topic="fix", frame_id="gps"):
    rospy.init_node("locationd")
    publisher = rospy.Publisher(topic, NavSatFix, queue_size=10)
    with locationd.Client() as client, client.watch(satellites=True, purpose="ROS") as watch:
        rospy.on_shutdown(watch.close)
        for fix in navsatfix.messages(watch, frame_id):
            publisher.publish(ros1(fix))


if __name__ == "__main__":
    main(*sys.argv[1:])
