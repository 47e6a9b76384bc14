"""What is asked: bytes that are no call, wrong parameters, watches, sources, places."""

import json
import socket

from daemons import CONFIGURATION, CONTROL, HOME, NMEA, circle, fix
from examples import EVERYTHING, EXAMPLES, spoil_parameters
from wire import Client, request


def service(daemon):
    """org.varlink.service, and what is no call of anything."""
    title = daemon.transcript.title
    title("who the service is")
    root, admin = Client(daemon, "root"), Client(daemon, "admin", CONTROL)
    for client in root, admin:
        client.call("service.GetInfo")
        for interface in "org.varlink.service", "org.locationd.location", "org.locationd.admin", "org.locationd":
            client.call("service.GetInterfaceDescription", '"interface":"%s"' % interface)
        for method in "service.Nothing", "location.Nothing", "admin.Nothing", "org.example.Nothing", "admin.Start":
            client.call(method)
    title("bytes that are no call, or an unusual one")
    status = b'{"method":"org.locationd.location.GetStatus"'
    for raw in (
            b"", b"x", b"[]", b'"x"', b"1", b"null", b"{}", b"{", b'{"method":1}', b'{"method":null}', b'{"method":""}',
            b'{"method":"GetStatus"}', b'{"method":"org.locationd.location."}', b'{"method":".GetStatus"}',
            b'{"method":"org.locationd.location.GetStatus/\\u0007\\"\\\\\xc3\xa9"}', b"\xff" + status + b"}",
            b'{"method":"org.locationd.location.Get\xffStatus"}', b'{"method":"org.locationd.location.Get\nStatus"}',
            status + b"}", b" \r\n\t" + status + b" } ", status + b"}x", b"\xef\xbb\xbf" + status + b"}",
            status + b',"parameters":null}', status + b',"parameters":[]}', status + b',"parameters":"x"}',
            status + b',"parameters":{"x":1}}', status + b',"upgrade":true,"x":{"y":[1e999]}}',
            status + b',"more":"x"}', status + b',"more":null,"oneway":null}', status + b',"oneway":1}',
            status + b',"more":true}', status + b',"oneway":true}', status + b',"more":true,"oneway":true}',
            status + b',"method":"org.locationd.location.ListMonitors"}',
            status + b',"parameters":{"x":' + b"[" * 600 + b"]" * 600 + b"}}",
            status + b',"x":"' + b"x" * (65536 - len(status) - 8) + b'"}',
            status + b',"x":"' + b"x" * (65537 - len(status) - 8) + b'"}'):
        exchange(daemon, raw + b"\0")
    exchange(daemon, status + b"}")
    exchange(daemon, b"x" * 70000)
    exchange(daemon, b"\0" + status + b"}\0")
    title("several calls at once")
    calls = [request("GetStatus"), request("ListMonitors"), request("service.GetInfo")]
    exchange(daemon, b"".join(calls))
    exchange(daemon, b"".join(calls[:2]) + b"x\0" + calls[2])
    exchange(daemon, request("GetStatus", "", "oneway") + request("Nothing", "", "oneway") + calls[1])
    exchange(daemon, request("Watch", '"passive":true', "more", "oneway") + calls[1])
    exchange(daemon, request("Watch", '"passive":true', "more") + calls[1] + b"x" * 70000)
    slow = Client(daemon, "raw")
    for byte in calls[0]:
        slow.socket.sendall(bytes([byte]))
    slow.read()
    slow.send(b"x\0")
    slow.read(2)
    title("nothing is known yet")
    root.call("GetStatus")
    root.call("GetLocation", '"passive":true')
    root.call("GetLocation", '"passive":true,"maximumAge":1e308,"timeout":86400.5')
    root.call("GetLocation", '"passive":true', "more")
    root.call("ListMonitors")
    for client in root, admin:
        client.call("WatchUsage")
        client.call("WatchUsage", '"all":true')
    root.call("RequestAuthorization", '"level":"always","purpose":"a map"', "more")
    admin.call("admin.ListAuthorizations")
    admin.call("admin.ListMonitors")
    admin.call("admin.GetHistory")
    admin.call("admin.GetStatistics")
    title("parameters that are wrong")
    spoil_parameters(admin, [method for method in EXAMPLES if not method.startswith("places.")])


def exchange(daemon, raw):
    """Sends bytes over a connection of their own, says that no more follow, and reads until the daemon ends it."""
    client = Client(daemon, "raw")
    text = daemon.transcript.plain(raw)
    client.send(raw, text if len(text) < 600 else "%s... (%d bytes)" % (text[:100], len(raw)))
    client.socket.shutdown(socket.SHUT_WR)
    while client.read():
        pass
    client.close()


def watches(daemon):
    """Watches of locations that an administrator injects; the source never runs, and so numbers are always the same."""
    title = daemon.transcript.title
    title("locations")
    admin, root = Client(daemon, "admin", CONTROL), Client(daemon, "root")
    admin.call("admin.Simulate", fix(48.8584, 2.2945))
    root.call("GetStatus")
    root.call("GetLocation", '"maximumAge":3600,"timeout":0,"requiredAccuracy":1e308,"passive":true')
    root.call("GetLocation", '"maximumAge":3600')
    title("watches")
    plain, full, other, once = [Client(daemon, name) for name in ("plain", "full", "other", "once")]
    plain.call("Watch", '"passive":true', "more")
    full.call(
        "Watch", '"distanceFilter":1000,"requiredAccuracy":20,"minimumInterval":0,"maximumUpdates":2,"location":true,'
        '"heading":true,"satellites":true,"passive":true,"everySource":true,"purpose":"a map\\u0007 \u00e9/\\"\\\\"',
        "more")
    other.call("Watch", '"location":false,"heading":true,"passive":true', "more")
    once.call("Watch", '"maximumUpdates":1,"passive":true', "more")
    once.call("Watch", '"passive":true')
    admin.call("admin.Simulate", fix(**EVERYTHING) + ',"isReplayed":true')
    plain.read()
    full.read()
    admin.call("admin.Simulate", fix(48.8585, 2.2945, horizontalAccuracy=5, augmentation="dgps", altitude=1e-7))
    plain.read()
    admin.call("admin.Simulate", fix(-48.8584, -2.2945, horizontalAccuracy=5, speed=1e21, mode="threeDimensional"))
    plain.read()
    full.read()
    for augmentation in "rtkFloat", "deadReckoning", "gnssDeadReckoning", "timeOnly", "simulated", "precise", "x":
        admin.call("admin.Simulate", fix(-48.8584, -2.2945, augmentation=augmentation))
        if augmentation != "x":
            plain.read()
    admin.call("admin.ListClients")
    admin.call("admin.Disconnect", '"id":%d' % other.id)
    other.read()
    admin.call("admin.GetStatistics")
    full.call("GetStatus")
    for client in full, root:
        client.call("ListReceivers")
    for client in plain, full, other, once:
        client.close()
    title("the switch")
    watch, monitor = Client(daemon, "watch"), Client(daemon, "monitor")
    watch.call("Watch", '"passive":true', "more")
    monitor.call("Monitor", '"regions":[%s],"passive":true' % circle("a", 0, 0), "more", replies=2)
    for _ in range(2):
        admin.call("admin.Stop")
    watch.read()
    monitor.read()
    root.call("GetStatus")
    root.call("GetLocation")
    root.call("GetLocation", '"timeout":-1')
    root.call("Watch", '"passive":true', "more")
    admin.call("admin.Simulate", fix(48.8584, 2.2945))
    for _ in range(2):
        admin.call("admin.Start")
    root.read()
    watch.read()
    monitor.read()
    watch.close()
    monitor.close()
    root.close()
    title("figures")
    admin.call("admin.GetStatistics")
    admin.call("admin.GetMetrics")
    title("a watch that does not read for a while")
    slow = Client(daemon, "slow")
    slow.call("Watch", '"passive":true', "more")
    for count in range(500):
        admin.ask("admin.Simulate", fix(count / 10, 0))
    # How many fit into the kernel's buffers is the machine's matter.
    slow.read_until(b'"dropped"', [("count", r'("dropped":)\d+')])


def sources(daemon):
    """Calls that have a source run, which sends a fix each second: how many there were by then is not recorded."""
    title = daemon.transcript.title
    title("a source")
    admin, root = Client(daemon, "admin", CONTROL), Client(daemon, "root")
    root.call("GetStatus")
    root.call("Watch", '"maximumUpdates":1', "more", replies=5)
    root.call("GetStatus")
    for parameters in ("", '"passive":true', '"maximumAge":3600', '"requiredAccuracy":10,"timeout":86400',
                       '"requiredAccuracy":9.5,"timeout":0', '"requiredAccuracy":9.5,"timeout":0.01'):
        root.call("GetLocation", parameters)
    root.call("Watch", '"maximumUpdates":1,"everySource":true,"minimumInterval":0', "more")
    root.call("Watch", '"maximumUpdates":2', "more", replies=2)
    watch = Client(daemon, "watch")
    watch.call("Watch", '"distanceFilter":1000', "more")
    title("a source that is switched off, and a machine that sleeps")
    admin.call("admin.SetSource", '"name":"nothing","enabled":false')
    for _ in range(2):
        admin.call("admin.SetSource", '"name":"home","enabled":false')
    watch.read()
    root.call("GetLocation", '"timeout":0')
    admin.call("admin.SetSource", '"name":"home","enabled":true')
    watch.read(4)
    for _ in range(2):
        admin.call("admin.Suspend")
    watch.read()
    for _ in range(2):
        admin.call("admin.Resume")
    watch.read(4)
    title("other sources")

    def reload(*texts, configuration=CONFIGURATION):
        daemon.write("locationd.toml", configuration + NMEA + "".join(texts))
        admin.call("admin.Reload")

    reload(HOME % ("home", 50))
    watch.read(4)
    reload(HOME % ("home", 51), HOME % ("elsewhere", 52))
    watch.read(4)
    root.call("GetStatus")
    root.call("GetLocation", '"timeout":30')
    file = '[[sources]]\nkind = "static-file"\nname = "file"\nfile = "%s/position"\n' % daemon.directory
    reload(file)
    watch.read(2)
    root.call("GetStatus")
    root.call("GetLocation", '"requiredAccuracy":0.5,"timeout":0')
    daemon.write("position", "53\n2.2945\n35\n10\n")
    watch.read(3)
    watch.close()
    title("satellites and headings")
    sky = Client(daemon, "sky")
    sky.call("Watch", '"location":false,"satellites":true,"heading":true', "more")
    satellites = [{"gnss": "GPS", "id": 3, "azimuth": 90.5, "elevation": 45.5, "signal": 40.5, "used": True},
                  {"gnss": "Galileo", "id": 11, "used": False}]
    heading = {"trueHeading": 90.5, "magneticHeading": 89.5, "accuracy": 5.5, "pitch": -1.5, "roll": 2.5,
               "timestamp": "2026-01-02T03:04:05.678Z"}
    receiver = {"name": "x", "device": "/dev/tty/\u00e9", "isSimulated": True, "isReplayed": False}
    entries = [{"format": "locationd-recording", "version": 1},
               {"at": 0, "location": dict(EVERYTHING, source=receiver)}, {"at": 0, "satellites": satellites},
               {"at": 0, "heading": heading}, {"at": 0, "heading": {"magneticHeading": 1}}, {"at": 0, "satellites": []}]
    daemon.write("recording", "".join(json.dumps(entry) + "\n" for entry in entries))
    replay = '[[sources]]\nkind = "replay"\nfile = "%s/recording"\n' % daemon.directory
    reload(replay)
    sky.read(8)
    root.call("GetStatus")
    root.call("GetLocation", '"maximumAge":3600')
    admin.call("admin.GetStatistics")
    reload(replay, configuration=CONFIGURATION.replace("stale-after = 3600", "stale-after = 0.5"))
    sky.read()
    root.call("GetStatus")
    root.call("GetLocation", '"timeout":0')
    reload(replay)
    sky.close()
    title("the bridge to GeoClue")
    reader = Client(daemon, "reader", "run/nmea.sock", greet=False)
    reader.read_lines(3)
    admin.call("admin.ListAuthorizations")
    admin.call("admin.SetAuthorization", '"principal":"bridge:nmea","authorization":"authorizedAlways"')
    admin.call("admin.Simulate", fix(**EVERYTHING))
    reader.read_lines(4)
    admin.call("admin.ListClients")
    reader.socket.close()
    daemon.settle()
    title("a request at the end")
    root.send(request("GetLocation", '"requiredAccuracy":0.5'))
    watch = Client(daemon, "watch")
    watch.call("Watch", "", "more")
    daemon.end(root, watch, admin)


def places(daemon):
    """The other program's errors; it has no database."""
    daemon.transcript.title("places")
    client = Client(daemon, "client", "places.sock")
    client.call("service.GetInfo")
    for interface in "org.varlink.service", "org.locationd.places", "org.locationd.location":
        client.call("service.GetInterfaceDescription", '"interface":"%s"' % interface)
    for method in "places.Nothing", "GetStatus":
        client.call(method)
    client.call("places.Geocode", '"text":"Paris"', "more")
    spoil_parameters(client, ["places.ReverseGeocode", "places.Geocode"])
    client.send(b"x\0")
    client.read(2)
