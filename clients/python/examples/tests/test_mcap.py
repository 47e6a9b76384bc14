"""mcap_recorder.py, read back by the decoder of ROS 2's messages. PyPI: mcap-ros2-support==0.6.0."""

import io
import math
import os
import signal
import subprocess
import sys
import tempfile
import unittest

from scripted import EXAMPLES, Daemon, location, status, wire_location, wire_status
import navsatfix

try:
    from mcap.reader import make_reader
    from mcap_ros2.decoder import DecoderFactory
    import mcap_recorder
except ImportError as error:
    raise unittest.SkipTest(f"{error}; pip install mcap-ros2-support==0.6.0") from None


def decoded(stream):
    reader = make_reader(stream, decoder_factories=[DecoderFactory()])
    return [(schema, channel, record, message) for schema, channel, record, message in reader.iter_decoded_messages()]


class Recording(unittest.TestCase):
    def test_what_is_read_back_is_what_was_written(self):
        place = location(sequence=1, ellipsoidal_altitude=79.5, accuracy_basis="stated", horizontal_accuracy=2.0, vertical_accuracy=3.0,
                         augmentation="dgps")
        output = io.BytesIO()
        self.assertEqual(mcap_recorder.record([status("tracking"), place, status("lost")], output, frame_id="antenna"), 2)
        (schema, channel, record, fix), (_, _, _, lost) = decoded(io.BytesIO(output.getvalue()))
        expected = navsatfix.fields(place, "antenna")
        self.assertEqual((schema.name, schema.encoding, channel.topic, channel.message_encoding),
                         ("sensor_msgs/msg/NavSatFix", "ros2msg", "/fix", "cdr"))
        self.assertEqual((fix.latitude, fix.longitude, fix.altitude), (52.517, 13.3889, 79.5))
        self.assertEqual((fix.status.status, fix.position_covariance_type, fix.header.frame_id), (1, 2, "antenna"))
        self.assertEqual(list(fix.position_covariance), expected["position_covariance"])
        self.assertEqual(record.publish_time, fix.header.stamp.sec * 10**9 + fix.header.stamp.nanosec)
        self.assertEqual(lost.status.status, -1)
        self.assertTrue(math.isnan(lost.latitude) and math.isnan(lost.altitude))

    def test_file_is_complete_after_a_signal(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with tempfile.TemporaryDirectory() as folder, Daemon() as daemon:
                path = os.path.join(folder, "drive.mcap")
                recorder = subprocess.Popen([sys.executable, EXAMPLES / "mcap_recorder.py", path], stdout=subprocess.PIPE, text=True,
                                            env=os.environ | {"LOCATIOND_SOCKET": daemon.path, "PYTHONPATH": os.pathsep.join(sys.path)})
                self.assertEqual(recorder.stdout.readline(), "recording; Ctrl-C ends it\n")
                daemon.say(wire_status("tracking"), *(wire_location(sequence) for sequence in range(1, 4)))
                recorder.send_signal(number)
                count, word = recorder.communicate(timeout=30)[0].split()
                self.assertEqual((recorder.returncode, word), (0, "messages"))
                with open(path, "rb") as stream:
                    self.assertEqual(len(decoded(stream)), int(count))


if __name__ == "__main__":
    unittest.main()
