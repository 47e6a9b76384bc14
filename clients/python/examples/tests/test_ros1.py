"""ros1_node.py with ROS 1's real messages, and through a real master. Debian: python3-rospy python3-sensor-msgs python3-rosmaster."""

import io
import math
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

from scripted import EXAMPLES, Daemon, location, wire_location, wire_status
import navsatfix

try:
    import rospy
    from sensor_msgs.msg import NavSatFix
    import ros1_node
except ImportError as error:
    raise unittest.SkipTest(f"{error}; install python3-rospy and python3-sensor-msgs") from None


class Serialisation(unittest.TestCase):
    def test_message_survives_the_wire_of_ros(self):
        for place in (location(ellipsoidal_altitude=79.5, accuracy_basis="stated", horizontal_accuracy=2.0, vertical_accuracy=3.0,
                               augmentation="rtkFixed"), location(longitude=-180.0)):
            sent = ros1_node.ros1(navsatfix.fields(place, "antenna", 9))
            buffer = io.BytesIO()
            sent.serialize(buffer)
            received = NavSatFix().deserialize(buffer.getvalue())
            self.assertEqual(received.header, sent.header)
            self.assertEqual((received.latitude, received.longitude), (place.latitude, place.longitude))
            self.assertEqual((received.status.status, received.status.service), (sent.status.status, 9))
            self.assertEqual(list(received.position_covariance), list(sent.position_covariance))
            self.assertEqual(received.position_covariance_type, sent.position_covariance_type)
            self.assertEqual(math.isnan(received.altitude), place.ellipsoidal_altitude is None)

    def test_numbers_are_those_of_the_message(self):
        for name in ("UNKNOWN", "APPROXIMATED", "DIAGONAL_KNOWN", "KNOWN"):
            self.assertEqual(getattr(NavSatFix, "COVARIANCE_TYPE_" + name), getattr(navsatfix, name))
        state = type(NavSatFix().status)
        self.assertEqual((state.STATUS_NO_FIX, state.STATUS_FIX, state.STATUS_SBAS_FIX, state.STATUS_GBAS_FIX),
                         (navsatfix.NO_FIX, navsatfix.FIX, navsatfix.SBAS_FIX, navsatfix.GBAS_FIX))
        self.assertEqual((state.SERVICE_GPS, state.SERVICE_GLONASS, state.SERVICE_COMPASS, state.SERVICE_GALILEO),
                         tuple(navsatfix.SERVICE.values()))


@unittest.skipUnless(shutil.which("rosmaster"), "there is no rosmaster; install python3-rosmaster")
class Node(unittest.TestCase):
    def test_subscriber_gets_fixes_and_the_loss_of_the_fix(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = str(server.getsockname()[1])
        with tempfile.TemporaryDirectory() as home, Daemon() as daemon:
            os.environ.update(ROS_MASTER_URI=f"http://127.0.0.1:{port}", ROS_IP="127.0.0.1", ROS_HOME=home, LOCATIOND_SOCKET=daemon.path)
            master = subprocess.Popen(["rosmaster", "--core", "-p", port], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            node = None
            try:
                rospy.init_node("test", disable_signals=True)  # Waits for the master.
                node = subprocess.Popen([sys.executable, EXAMPLES / "ros1_node.py", "fix", "antenna"])
                received, arrived = [], threading.Semaphore(0)
                subscriber = rospy.Subscriber("fix", NavSatFix, lambda message: received.append(message) or arrived.release())
                # A subscriber is connected some time after the node has called: fixes come until one arrives.
                sequence = 0
                while not arrived.acquire(timeout=0.2):
                    sequence += 1
                    daemon.say(wire_status("tracking"), wire_location(sequence, ellipsoidalAltitude=79.5))
                daemon.say(wire_status("lost", reason="the receiver sends nothing"))
                while received[-1].status.status != -1:
                    self.assertTrue(arrived.acquire(timeout=30), "a message without a fix comes")
                self.assertEqual((received[0].latitude, received[0].altitude, received[0].header.frame_id), (52.517, 79.5, "antenna"))
                self.assertTrue(math.isnan(received[-1].latitude))
                subscriber.unregister()
                node.terminate()
                self.assertEqual(node.wait(30), 0)
            finally:
                rospy.signal_shutdown("the test is over")
                for process in filter(None, (node, master)):
                    process.kill()
                    process.wait()


if __name__ == "__main__":
    unittest.main()
