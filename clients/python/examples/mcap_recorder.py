"""Writes the machine's position to an MCAP file as ROS 2 does: messages sensor_msgs/msg/NavSatFix in CDR, on the topic /fix.

    python3 mcap_recorder.py drive.mcap [seconds]        # until Ctrl-C or SIGTERM, or for so long; then: ros2 bag play drive.mcap

Needs mcap-ros2-support==0.6.0 (PyPI), and no ROS. `log_time` is when the message was written, `publish_time` the time of the fix. What was
written is complete once the program has ended; after a crash up to a mebibyte is missing, and `mcap recover` reads the rest.
"""

import signal
import sys
import time

from mcap_ros2.writer import Writer

import locationd
import navsatfix

TYPE = "sensor_msgs/msg/NavSatFix"
#: ROS 2's definition without its comments, and those of the types in it, as an MCAP schema has them.
DEFINITION = """\
uint8 COVARIANCE_TYPE_UNKNOWN=0
uint8 COVARIANCE_TYPE_APPROXIMATED=1
uint8 COVARIANCE_TYPE_DIAGONAL_KNOWN=2
uint8 COVARIANCE_TYPE_KNOWN=3
std_msgs/Header header
sensor_msgs/NavSatStatus status
float64 latitude
float64 longitude
float64 altitude
float64[9] position_covariance
uint8 position_covariance_type
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
================================================================================
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
================================================================================
MSG: sensor_msgs/NavSatStatus
int8 STATUS_NO_FIX=-1
int8 STATUS_FIX=0
int8 STATUS_SBAS_FIX=1
int8 STATUS_GBAS_FIX=2
int8 status
uint16 SERVICE_GPS=1
uint16 SERVICE_GLONASS=2
uint16 SERVICE_COMPASS=4
uint16 SERVICE_GALILEO=8
uint16 service
"""


def record(updates, output, topic="/fix", frame_id="gps"):
    """Writes a watch's updates to a file that is open for writing bytes, and returns how many messages these were."""
    count = 0
    with Writer(output) as writer:
        schema = writer.register_msgdef(TYPE, DEFINITION)
        for count, fix in enumerate(navsatfix.messages(updates, frame_id), 1):
            stamp = fix["header"]["stamp"]
            writer.write_message(topic, schema, fix, log_time=time.time_ns(),
                                 publish_time=stamp["sec"] * 10**9 + stamp["nanosec"], sequence=count)
    return count


def main(path, seconds=None):
    with locationd.Client() as client, open(path, "wb") as output:
        watch = client.watch(satellites=True, purpose="MCAP recording", duration=float(seconds) if seconds else None)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: watch.close())
        print("recording; Ctrl-C ends it", flush=True)
        print(record(watch, output), "messages")


if __name__ == "__main__":
    main(*sys.argv[1:])
