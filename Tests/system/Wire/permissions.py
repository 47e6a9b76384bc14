"""What is asked: who may know, who decides it, configurations, and what outlives the daemon."""

import json
import os

from daemons import ALICE, BOB, CAROL, CONFIGURATION, CONTROL, DAVE, ERIN, HOME, TRUSTED, circle, fix
from examples import EVERYTHING
from wire import Client, Skipped, request


def authorizations(daemon):
    """What several users may know, and who decides it."""
    title = daemon.transcript.title
    admin = Client(daemon, "admin", CONTROL)
    alice, watch, monitor = [Client(daemon, name, uid=ALICE) for name in ("alice", "watch", "monitor")]
    if any(client["principal"] != "uid:%d" % (ALICE if client["id"] >= alice.id else 0)
           for client in daemon.keeper.ask("admin.ListClients")["parameters"]["clients"]):
        raise Skipped("the kernel tells the unit that this program runs in; run it outside of a system's service")
    title("nobody has been asked")
    alice.call("GetStatus")
    for parameters in "", '"timeout":"x"':
        alice.call("GetLocation", parameters)
    watch.call("Watch", '"passive":true,"satellites":true,"purpose":"a map"', "more")
    monitor.call("Monitor", '"name":"m","regions":[%s],"passive":true' % circle("a", 48.8584, 2.2945, 500), "more",
                 replies=2)
    alice.call("ListMonitors")
    title("somebody asks")
    alice.call("RequestAuthorization", '"level":"whenInUse"')
    watch.read()
    monitor.read()
    alice.call("RequestAuthorization", '"level":"always","purpose":"to find\\u0007 the way"', "more")
    alice.send(request("GetStatus"))
    admin.call("admin.ListAuthorizations")
    admin.call("admin.ListClients")
    admin.call("admin.SetAuthorization", '"principal":"uid:%d","authorization":"authorizedAlways","accuracy":"reduced"'
               % ALICE)
    alice.read(2)
    watch.read()
    monitor.read(2)
    title("reduced accuracy")
    alice.call("GetStatus")
    alice.call("GetLocation", '"passive":true')
    admin.call("admin.Simulate", fix(**EVERYTHING))
    watch.read()
    for parameters in '"passive":true', '"maximumAge":0,"timeout":0', '"requiredAccuracy":1,"passive":true':
        alice.call("GetLocation", parameters)
    alice.call("GetStatus")
    alice.call("ListMonitors")
    title("full accuracy for a while")
    alice.call("RequestAuthorization", '"level":"whenInUse","fullAccuracy":true,"purpose":"the gate"', "more")
    watch.read()
    monitor.read()
    admin.call("admin.ListAuthorizations")
    admin.call("admin.SetAuthorization", '"principal":"uid:%d","authorization":"unchanged","duration":3600' % ALICE)
    alice.read()
    watch.read()
    monitor.read(2)
    alice.call("GetStatus")
    admin.call("admin.ListAuthorizations")
    admin.call("admin.SetAuthorization", '"principal":"uid:%d","authorization":"unchanged","accuracy":"reduced"' % ALICE)
    watch.read()
    monitor.read(2)
    title("full accuracy")
    admin.call("admin.SetAuthorization", '"principal":"uid:%d","authorization":"authorizedAlways"' % ALICE)
    watch.read()
    monitor.read(2)
    alice.call("GetStatus")
    alice.call("GetLocation", '"maximumAge":3600')
    alice.call("ListMonitors")
    title("while in use")
    admin.call("admin.SetAuthorization", '"principal":"uid:%d","authorization":"authorizedWhenInUse","accuracy":"full"'
               % ALICE)
    watch.read()
    monitor.read()
    alice.call("GetStatus")
    alice.call("GetLocation")
    alice.call("RequestAuthorization", '"level":"always"', "more")
    admin.call("admin.ListAuthorizations")
    title("denied")
    admin.call("admin.SetAuthorization", '"principal":"uid:%d","authorization":"denied"' % ALICE)
    alice.read()
    watch.read(2)
    monitor.read(2)
    alice.call("GetStatus")
    alice.call("GetLocation")
    alice.call("RequestAuthorization", '"level":"always","purpose":"again"', "more")
    alice.call("ListMonitors")
    admin.call("admin.ListMonitors")
    admin.call("admin.ListAuthorizations")
    alice.send(request("GetStatus", '"x":"%s"' % ("x" * 20000)), "GetStatus with 20000 bytes")
    alice.read(2)
    alice.close()
    admin.call("admin.ResetAuthorization", '"principal":"uid:%d"' % ALICE)
    watch.read()
    monitor.read()
    title("others")
    bob = Client(daemon, "bob", uid=BOB)
    bob.call("RequestAuthorization", '"level":"whenInUse"', "more")
    admin.call("admin.ListAuthorizations")
    admin.call("admin.ResetAuthorization", '"principal":"uid:%d"' % BOB)
    bob.read()
    for principal in ("user:root", "user:no-such-user", "user:", "uid:65534", "uid:4294967295", "uid:-1", "uid:x", "x",
                      "bridge:nmea", "bridge:x", "unit:x", "unit:.service", "unit:x y.service"):
        for answer in "authorizedWhenInUse", "authorizedAlways":
            admin.call("admin.SetAuthorization", '"principal":"%s","authorization":"%s"' % (principal, answer))
    admin.call("admin.ListAuthorizations")
    for principal in "user:root", "user:no-such-user", "uid:0", "bridge:nmea", "bridge:nmea", "unit:x.service", "x":
        admin.call("admin.ResetAuthorization", '"principal":"%s"' % principal)
    carol = Client(daemon, "carol", CONTROL, uid=CAROL, gid=TRUSTED)
    carol.call("GetStatus")
    carol.call("admin.SetAuthorization", '"principal":"uid:%d","authorization":"denied"' % DAVE)
    # Only root and the group can come to this socket, unless somebody gives it away.
    os.chmod(os.path.join(daemon.directory, CONTROL), 0o666)
    dave = Client(daemon, "dave", CONTROL, uid=DAVE)
    dave.call("service.GetInfo")
    for method in "Stop", "ListClients", "SetLogLevel", "Nothing":
        dave.call("admin." + method)
    dave.call("GetStatus")
    title("history")
    for parameters in ("", '"limit":2', '"principal":"uid:%d"' % ALICE, '"principal":"uid:%d","limit":1' % BOB,
                       '"principal":"x"', '"limit":10000', '"limit":10001'):
        admin.call("admin.GetHistory", parameters)


def policies(daemon):
    """Rules that are read while clients are connected, and files that cannot be read."""
    title = daemon.transcript.title
    title("a policy")
    admin = Client(daemon, "admin", CONTROL)
    users = [("alice", ALICE), ("bob", BOB), ("carol", CAROL), ("dave", DAVE), ("erin", ERIN)]
    callers = [Client(daemon, name, uid=uid) for name, uid in users]
    watching = [Client(daemon, name + "'s watch", uid=uid) for name, uid in users]
    for watch in watching:
        watch.call("Watch", '"passive":true', "more")
    rules = ('authorization = "restricted"', 'authorization = "authorizedAlways"\naccuracy = "reduced"',
             'authorization = "authorizedAlways"\nminimum-interval = 3600', 'authorization = "authorizedWhenInUse"',
             'authorization = "ask"\naccuracy = "reduced"')
    policy = "".join("[[rules]]\nuser = %d\n%s\n" % (uid, rule) for (_, uid), rule in zip(users, rules))
    daemon.write("policy.toml", policy)
    admin.call("admin.Reload")
    for watch in watching:
        watch.read()
    for latitude in 48.8584, 50:
        admin.call("admin.Simulate", fix(latitude, 2.2945, horizontalAccuracy=5, speed=1))
        if latitude < 50:
            watching[1].read()
            watching[2].read(2)
        for caller in callers:
            caller.call("GetStatus")
            caller.call("GetLocation", '"passive":true')
    alice = callers[0]
    alice.call("RequestAuthorization", '"level":"always"', "more")
    for answer in "authorizedAlways", "denied":
        admin.call("admin.SetAuthorization", '"principal":"uid:%d","authorization":"%s"' % (ALICE, answer))
    admin.call("admin.ListAuthorizations")
    title("policies that are wrong")
    for text in "x", "[[rules]]\nuser = 0\n", policy + '[[rules]]\neveryone = true\nauthorization = "x"\n':
        daemon.write("policy.toml", text)
        admin.call("admin.Reload")
    daemon.write("policy.toml", policy, 0o666)
    admin.call("admin.Reload")
    daemon.write("policy.toml", "")
    admin.call("admin.Reload")
    for watch in watching:
        watch.read()
    title("users decide")
    erin = callers[4]
    erin.call("WatchRequests")
    erin.call("Decide", '"authorization":"denied"')
    daemon.write("policy.toml", '[users-decide]\naccuracy = "reduced"\nlongest = 3600\n')
    admin.call("admin.Reload")
    erin.call("WatchRequests")
    decider = Client(daemon, "erin's decision", uid=ERIN)
    for parameters in ('"authorization":"authorizedAlways"', '"authorization":"authorizedWhenInUse"',
                       '"authorization":"authorizedWhenInUse","accuracy":"reduced","duration":3601',
                       '"authorization":"authorizedWhenInUse","duration":0', '"authorization":"unchanged"',
                       '"authorization":"denied","duration":60', '"number":7,"authorization":"denied"',
                       '"authorization":"denied"'):
        decider.call("Decide", parameters)
    watching[4].read()
    decider.call("WatchRequests")
    admin.call("admin.SetAuthorization", '"principal":"uid:%d","authorization":"denied"' % ERIN)
    decider.call("Decide", '"authorization":"denied"')
    alice.call("Decide", '"authorization":"denied"')
    daemon.write("policy.toml", "")
    admin.call("admin.Reload")
    # What a policy changes for several users at once is noted in any order.
    for _, uid in users:
        admin.call("admin.GetHistory", '"principal":"uid:%d"' % uid)


def serving(daemon):
    """Programs that call on behalf of others, and for administrators by their tokens."""
    title = daemon.transcript.title
    title("on behalf of others")
    admin, portal = Client(daemon, "admin", CONTROL), Client(daemon, "portal", uid=ALICE)
    bob = '"onBehalfOf":{"uid":%d,"label":"a page"}' % BOB
    portal.call("GetStatus", bob)
    daemon.write("policy.toml", '[[rules]]\nuser = %d\nauthorization = "restricted"\non-behalf-of = true\n' % ALICE)
    admin.call("admin.Reload")
    portal.call("GetStatus")
    portal.call("GetStatus", '"onBehalfOf":{"uid":65534,"label":"a page"}')
    for method in "GetStatus", "GetLocation", "ListMonitors":
        portal.call(method, bob)
    portal.call("GetStatus", bob.replace("a page", "another"))
    portal.call("GetStatus")
    title("by an administrator's token")
    admin.send(request("admin.CreateToken"))
    reply = admin.message()
    daemon.transcript.add("admin", "<", daemon.transcript.plain(reply))
    token = ',"token":"%s"' % json.loads(reply)["parameters"]["token"]
    root = '"onBehalfOf":{"uid":0,"label":"a page"}'
    portal = Client(daemon, "another portal", uid=ALICE)
    for parameters in "", root, bob + token, root + ',"token":"x"', root + token:
        portal.call("admin.SetAuthorization",
                    parameters + ',"principal":"uid:%d","authorization":"denied"' % BOB if parameters else "")
    portal.call("admin.CreateToken", root + token)
    admin.call("admin.ListAuthorizations")
    admin.call("admin.ListClients", token[1:])
    portal.call("admin.RevokeToken", root + token)
    portal.call("admin.GetHistory", root + token)


def configurations(daemon):
    """Configurations that are read while the daemon runs, right ones and wrong ones."""
    daemon.transcript.title("configurations")
    admin = Client(daemon, "admin", CONTROL)
    before = CONFIGURATION + HOME % ("home", 48.8584)
    changed = before.replace("stale-after = 3600", "stale-after = 3599").replace("linger = 86400", "linger = 86399")
    changed = changed.replace('[access]\ngroup = "daemon"', '[access]\ngroup = "users"')
    changed += ("[limits]\nclients = 100\nclients-per-user = 99\nrequest-size = 2048\nstalled-timeout = 29\n"
                "requests-per-second = 1000\nauthorizations-per-user = 15\nregions-per-user = 98\n"
                "monitors-per-user = 31\nregions = 97\n[privacy]\nreduced-grid = 3000\nreduced-interval = 601\n"
                "history-days = 31\nhistory-size = 1000000\n[metrics]\ninterval = 16\n")
    for text in (changed, changed, before, changed + "[nothing]\n", changed + "[service]\nx = 1\n",
                 before.replace("stale-after = 3600", "stale-after = -1"), before.replace("stale-after", "stale-afer"),
                 before + "x", before.replace('kind = "static"', 'kind = "x"'), before):
        daemon.write("locationd.toml", text)
        admin.call("admin.Reload")
    for level in "trace", "debug", "info", "notice", "error", "critical", "warning", "Warning":
        admin.call("admin.SetLogLevel", '"level":"%s"' % level)


def endings(daemon):
    """What clients are told when the daemon ends, and what it knows when it starts again."""
    title = daemon.transcript.title
    title("the end")
    admin = Client(daemon, "admin", CONTROL)
    alice, bob = Client(daemon, "alice", uid=ALICE), Client(daemon, "bob", uid=BOB)
    watch, monitor, idle = Client(daemon, "watch"), Client(daemon, "monitor"), Client(daemon, "idle")
    admin.call("admin.Simulate", fix(48.8584, 2.2945, horizontalAccuracy=5))
    watch.call("Watch", '"passive":true', "more")
    monitor.call("Monitor", '"name":"m","regions":[%s,%s],"passive":true' % (
        circle("a", 48.8584, 2.2945), circle("b", 0, 0)), "more", replies=3)
    alice.call("RequestAuthorization", '"level":"always"', "more")
    bob.call("Watch", '"passive":true', "more")
    admin.call("admin.SetAuthorization", '"principal":"uid:%d","authorization":"denied"' % BOB)
    bob.read()
    daemon.end(watch, monitor, alice, bob, idle, admin)
    title("the next start")
    daemon.start()
    admin, root = Client(daemon, "admin", CONTROL), Client(daemon, "root")
    monitor, bob, alice = Client(daemon, "monitor"), Client(daemon, "bob", uid=BOB), Client(daemon, "alice", uid=ALICE)
    root.call("GetStatus")
    alice.call("GetStatus")
    bob.call("GetStatus")
    root.call("GetLocation", '"maximumAge":3600')
    root.call("ListMonitors")
    admin.call("admin.ListMonitors")
    admin.call("admin.ListAuthorizations")
    admin.call("admin.GetHistory")
    monitor.call("Monitor", '"name":"m","passive":true', "more", replies=3)
    admin.call("admin.Simulate", fix(0, 0, horizontalAccuracy=5))
    monitor.read(3)
    admin.call("admin.Stop")
    monitor.read()
    daemon.end(monitor, alice, bob, root, admin)
    title("a start that is switched off, with decisions that cannot be read")
    path = os.path.join(daemon.directory, "state/decisions.json")
    with open(path, encoding="utf-8") as file:
        decisions = file.read()
    daemon.write("state/decisions.json", "x", 0o600)
    daemon.start()
    admin, root = Client(daemon, "admin", CONTROL), Client(daemon, "root")
    alice, bob = Client(daemon, "alice", uid=ALICE), Client(daemon, "bob", uid=BOB)
    root.call("GetStatus")
    root.call("Watch", '"passive":true', "more")
    bob.call("Watch", '"passive":true', "more")
    admin.call("admin.Start")
    root.read()
    bob.read()
    alice.call("GetStatus")
    alice.call("GetLocation")
    alice.call("RequestAuthorization", '"level":"always"', "more")
    admin.call("admin.ListAuthorizations")
    admin.call("admin.SetAuthorization", '"principal":"uid:%d","authorization":"denied"' % ALICE)
    admin.call("admin.ResetAuthorization", '"principal":"uid:%d"' % ALICE)
    admin.call("admin.Reload")
    daemon.write("state/decisions.json", decisions, 0o600)
    admin.call("admin.Reload")
    bob.read()
    alice.call("GetStatus")
    admin.call("admin.ListAuthorizations")
