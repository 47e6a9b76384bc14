"""What is asked: monitors of regions, significant changes and visits, and limits."""

import time

from daemons import ALICE, BOB, CONFIGURATION, CONTROL, HOME, LIMITS, circle, fix
from wire import Client, request


def monitors(daemon):
    """Regions and significant changes by locations that an administrator injects."""
    title = daemon.transcript.title
    title("monitors")
    admin, root = Client(daemon, "admin", CONTROL), Client(daemon, "root")
    one, two, three, four = [Client(daemon, name) for name in ("one", "two", "three", "four")]
    field = '{"identifier":"field","polygon":[%s]}' % ",".join(
        '{"latitude":%s,"longitude":%s}' % corner for corner in ((10, 10), (10, 11.123456789), (11, 11), (11, 10)))
    one.call("Monitor", '"regions":[%s,%s],"passive":true' % (circle("a", 0, 0), field), "more", replies=3)
    admin.call("admin.Simulate", fix(0, 0, horizontalAccuracy=5))
    one.read(3)
    admin.call("admin.Simulate", fix(10.5, 10.5, horizontalAccuracy=5))
    one.read(2)
    two.call("Monitor", '"significantChange":{"distance":100},"passive":true', "more", replies=2)
    admin.call("admin.Simulate", fix(48.8584, 2.2945, horizontalAccuracy=5))
    one.read()
    two.read()
    title("monitors with a name")
    name = '"name":"home/\u00e9\\"\\\\"'
    everything = '%s,"regions":[%s],"significantChange":{"distance":1000,"interval":86400},"visits":true,' \
        '"passive":true,"purpose":"a map\\n"' % (name, circle("a", 48.8584, 2.2945, dwell=86400))
    three.call("Monitor", everything)
    three.call("Monitor", everything, "more", replies=3)
    four.call("Monitor", everything, "more")
    four.call("Monitor", '"name":"other"', "more")
    four.call("Monitor", '"name":"o\\u0007"', "more")
    four.call("Monitor", '"name":"%s"' % ("x" * 129), "more")
    four.call("Monitor", '"regions":[%s,%s]' % (circle("a", 0, 0), circle("a", 1, 1)), "more")
    four.call("Monitor", '"regions":[]', "more")
    four.call("Monitor", "", "more")
    four.call("Monitor", '"name":"empty","regions":[],"passive":true', "more")
    four.close()
    root.call("ListMonitors")
    admin.call("admin.ListMonitors")
    admin.call("admin.ListClients")
    root.call("ChangeRegions", '%s,"add":[%s,%s],"remove":["nothing"]' % (name, circle("b", 0, 0), field))
    three.read(2)
    root.call("ChangeRegions", '%s,"add":[%s],"remove":["a"]' % (name, circle("b", 48.8584, 2.2945, dwell=86400)))
    three.read()
    root.call("ChangeRegions", '"name":"other","add":[%s]' % circle("b", 0, 0))
    root.call("ListMonitors")
    three.close()
    root.call("ListMonitors")
    root.call("ChangeRegions", '%s,"remove":["b"]' % name)
    root.call("ChangeRegions", name)
    three = Client(daemon, "three")
    three.call("Monitor", name + ',"passive":true', "more", replies=2)
    three.read()
    admin.call("admin.Stop")
    three.read()
    for client in one, two:
        client.read()
    root.call("ListMonitors")
    admin.call("admin.ListMonitors")
    admin.call("admin.Start")
    for client in one, two, three:
        client.read()
    title("the end of monitors")
    root.call("RemoveMonitor", name)
    three.read()
    three.call("GetStatus")
    root.call("RemoveMonitor", name)
    root.call("RemoveMonitor", '"name":"o\\u0007"')
    three.call("Monitor", '"name":"x","visits":true,"passive":true', "more")
    four = Client(daemon, "four")
    four.call("Monitor", '"name":"y","significantChange":{},"passive":true', "more", replies=2)
    four.close()
    many = ",".join(circle(str(number), number, number) for number in range(21))
    root.call("ChangeRegions", '"name":"y","add":[%s]' % many)
    root.call("ListMonitors")
    admin.call("admin.ForgetMonitors", '"principal":"uid:0","name":"x"')
    three.read()
    admin.call("admin.ForgetMonitors", '"principal":"user:root"')
    for principal in "uid:0", "user:root", "user:no-such-user", "unit:x.service", "bridge:nmea", "root", "uid:65534":
        admin.call("admin.ForgetMonitors", '"principal":"%s","name":"x"' % principal)
        admin.call("admin.ForgetMonitors", '"principal":"%s"' % principal)
    root.call("ListMonitors")
    admin.call("admin.GetStatistics")


def visits(daemon):
    """What takes time: while it passes the other parts go on."""
    title = daemon.transcript.title
    title("visits and dwells")
    admin, root = Client(daemon, "admin", CONTROL), Client(daemon, "root")
    visit, dwell = Client(daemon, "visit"), Client(daemon, "dwell")
    root.call("ListMonitors")
    admin.call("admin.Simulate", fix(48.8584, 2.2945, horizontalAccuracy=5, timestamp="2026-01-02T03:13:05.678Z"))
    visit.call("Monitor", '"name":"v","passive":true', "more")
    dwell.call("Monitor", '"regions":[%s],"passive":true' % circle("a", 10, 10, dwell=1), "more", replies=2)
    admin.call("admin.Simulate", fix(10, 10, horizontalAccuracy=5, timestamp="2026-01-02T03:14:05.678Z"))
    dwell.read()
    begin = time.monotonic()
    yield
    # A visit is over once the machine has been elsewhere for 15 s.
    time.sleep(max(0, begin + 15.1 - time.monotonic()))
    admin.call("admin.Simulate", fix(10, 10, horizontalAccuracy=5, timestamp="2026-01-02T03:14:20.678Z"))
    dwell.read()
    visit.read()


def limits(daemon):
    """Limits that are reached, which the configuration has small here."""
    title = daemon.transcript.title
    title("too many connections")
    admin = Client(daemon, "admin", CONTROL)
    clients = [Client(daemon, name, uid=uid) for name, uid in (
        ("alice", ALICE), ("alice 2", ALICE), ("alice 3", ALICE), ("bob", BOB), ("bob 2", BOB))]
    for name, uid in ("alice 4", ALICE), ("bob 3", BOB):
        client = Client(daemon, name, uid=uid, greet=False)
        client.call("GetStatus", replies=2)
        client.socket.close()
    Client(daemon, "root").call("GetStatus")
    admin.call("admin.GetStatistics")
    alice, second, third, bob, other = clients
    title("too many who wait")
    second.call("RequestAuthorization", '"level":"always"', "more")
    third.call("RequestAuthorization", '"level":"whenInUse"')
    third.call("RequestAuthorization", '"level":"whenInUse"', "more")
    title("too many regions of who may not know the position")
    two = ",".join(circle(name, 0, 0) for name in "ab")
    alice.call("Monitor", '"name":"x","regions":[%s],"passive":true' % two, "more")
    alice.call("Monitor", '"name":"x","regions":[%s],"passive":true' % circle("a", 0, 0), "more", replies=2)
    bob.call("Monitor", '"name":"x","regions":[%s],"passive":true' % circle("a", 0, 0), "more")
    title("too many regions of one user")
    for user in ALICE, BOB:
        admin.call("admin.SetAuthorization", '"principal":"uid:%d","authorization":"authorizedAlways"' % user)
    second.read()
    alice.read(2)

    def regions(count):
        return ",".join(circle(str(number), number, 0) for number in range(count))

    third.call("Monitor", '"regions":[%s],"passive":true' % regions(5), "more")
    third.call("ChangeRegions", '"name":"x","add":[%s]' % regions(5))
    third.call("ChangeRegions", '"name":"x","add":[%s]' % regions(3))
    alice.read(3)
    second.call("Monitor", '"name":"y","visits":true,"passive":true', "more")
    third.call("Monitor", '"name":"z","visits":true,"passive":true', "more")
    title("too many regions of all")
    root = Client(daemon, "root")
    for count in 21, 12:
        root.call("Monitor", '"regions":[%s],"passive":true' % regions(count), "more", replies=1 if count > 20 else 13)
    bob.call("Monitor", '"regions":[%s],"passive":true' % regions(5), "more")
    title("too long, and too often")
    third.send(request("GetStatus", '"x":"%s"' % ("x" * 2048)), "GetStatus with 2048 bytes")
    third.read(2)
    third.close()
    daemon.write("locationd.toml", (CONFIGURATION + LIMITS + HOME % ("home", 48.8584)).replace("= 10000", "= 1"))
    admin.call("admin.Reload")
    other.send(request("GetStatus") * 25, "GetStatus 25 times")
    other.read_until(b"error")
    for client in other, bob, alice, second, root:
        client.close()
    title("too late")
    late = Client(daemon, "late")
    late.call("GetLocation", '"timeout":0')
