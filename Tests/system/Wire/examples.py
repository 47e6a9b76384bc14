"""Every method of the daemon with every member of its parameters, and what happens to each member that is wrong."""

import copy
import json

from wire import request

#: Every method with every member, as it is right; each member is then spoilt in turn. Watch and Monitor are called
#: without `more`, so that what is right is answered ExpectedMore. Members that exclude others are in a second example of the
#: method, with a name behind `#`.
PLACE = {"identifier": "a", "center": {"latitude": 48.5, "longitude": 2.5}, "radius": 100.5, "dwell": 60.5}
FIELD = {"identifier": "b", "polygon": [{"latitude": 48.5, "longitude": 2.5}, {"latitude": 48.5, "longitude": 3.5},
                                        {"latitude": 49.5, "longitude": 3.5}]}
EVERYTHING = {
    "latitude": 48.8584, "longitude": 2.2945, "horizontalAccuracy": 5.5, "altitude": 35.5, "ellipsoidalAltitude": 79.5,
    "verticalAccuracy": 7.5, "speed": 1.5, "speedAccuracy": 0.5, "course": 90.5, "courseAccuracy": 2.5, "climb": -0.5,
    "climbAccuracy": 0.25, "magneticVariation": 1.25, "mode": "threeDimensional", "augmentation": "rtkFixed",
    "satellitesUsed": 9, "hdop": 0.75, "vdop": 1.25, "pdop": 1.75, "timestamp": "2026-01-02T03:04:05.678Z"}
EXAMPLES = {
    "GetLocation": {"maximumAge": 0.5, "timeout": 0.5, "requiredAccuracy": 0.5, "passive": True},
    "Watch": {"distanceFilter": 10.5, "requiredAccuracy": 50.5, "minimumInterval": 0.5, "duration": 60.5,
              "maximumUpdates": 3, "location": True, "heading": True, "headingFilter": 5.5, "satellites": True, "passive": True,
              "everySource": True, "purpose": "a map"},
    "Watch#interval": {"interval": 60.5},
    "Watch#delay": {"maximumDelay": 60.5},
    "Watch#rest": {"desiredAccuracy": 5.5, "activityType": "otherNavigation", "pausesAutomatically": True,
                   "reducedAccuracy": True},
    "Monitor": {"name": "n", "regions": [PLACE, FIELD], "significantChange": {"distance": 500.5, "interval": 60.5},
                "visits": True, "passive": True, "purpose": "a map"},
    "ChangeRegions": {"name": "nothing", "add": [PLACE, FIELD], "remove": ["c"]},
    "RemoveMonitor": {"name": "nothing"},
    "RequestAuthorization": {"level": "whenInUse", "purpose": "a map", "fullAccuracy": True},
    "WatchUsage": {"all": True},
    "service.GetInterfaceDescription": {"interface": "org.example.nothing"},
    "admin.SetSource": {"name": "home", "enabled": True},
    "admin.Disconnect": {"id": 1000000},
    "admin.SetLogLevel": {"level": "warning"},
    "admin.Simulate": {"location": EVERYTHING, "isReplayed": True},
    "admin.SetAuthorization": {"principal": "unit:nothing", "authorization": "authorizedAlways", "accuracy": "reduced",
                               "duration": 60.5},
    "admin.ResetAuthorization": {"principal": "uid:58999"},
    "admin.GetHistory": {"principal": "uid:58999", "limit": 3},
    "admin.ForgetMonitors": {"principal": "uid:58999", "name": "nothing"},
    "admin.CreateToken": {"lifetime": 60.5},
    "admin.RevokeToken": {"token": "nothing"},
    "places.ReverseGeocode": {"latitude": 48.5, "longitude": 2.5, "locale": "de", "timeout": 5.5},
    "places.Geocode": {"text": "Paris", "locale": "de", "limit": 3, "timeout": 5.5},
}
SPOILT = {
    float: ['"x"', "true", "[]", "{}", "-1", "0", "1e308", "1e999"],
    int: ['"x"', "true", "[]", "1.5", "-1", "0", "99999999999999999999", "1e999"],
    bool: ['"true"', "1", "[]"],
    str: ["1", "true", "[]", '""', '"x\\u0007"', '"x\\u202e"', '"\\ud800"', '"%s"' % ("x" * 300)],
    list: ['"x"', "{}", "[]", "[1]", "[null]"],
    dict: ['"x"', "1", "[]", "{}"],
}


def paths(value, path=()):
    """All members of an example, whatever they lie in; of elements that are alike the first."""
    if path:
        yield path
    if isinstance(value, dict):
        for key in value:
            yield from paths(value[key], path + (key,))
    elif isinstance(value, list):
        for index, element in enumerate(value):
            if index == 0 or isinstance(element, dict) and element.keys() != value[0].keys():
                yield from paths(element, path + (index,))


def spoil(example):
    """Each member's name with what it has in place of its value, and the parameters with that."""
    # Without `passive` a call would start the source, and numbers would depend on the time.
    if "maximumAge" not in example:
        yield "parameters", "{}", ""
    yield "unknown", "[...]", json.dumps(example)[1:-1] + ',"unknown":[{"x":null}]'
    for path in paths(example):
        name = "".join("[%d]" % key if isinstance(key, int) else "." + key for key in path)[1:]
        holder = example
        for key in path[:-1]:
            holder = holder[key]
        texts = SPOILT[type(holder[path[-1]])] + ([] if path[-1] == "passive" else ["null", ""])
        for text in texts:
            changed = copy.deepcopy(example)
            holder = changed
            for key in path[:-1]:
                holder = holder[key]
            if text:
                holder[path[-1]] = "(here)"
            else:
                del holder[path[-1]]
            yield name, text, json.dumps(changed).replace('"(here)"', text)[1:-1]


def spoil_parameters(client, methods):
    """Calls each method with each member spoilt. What is answered the same in a row stands together."""
    transcript = client.daemon.transcript
    for method in methods:
        answers = []
        name_of_method = method.partition("#")[0]
        for name, text, parameters in spoil(EXAMPLES[method]):
            client.socket.sendall(request(name_of_method, parameters))
            transcript.requests += 1
            reply = transcript.plain(client.message() or b"(end)")
            shown = (text if len(text) < 40 else text[:8] + "...") or "(missing)"
            if answers and answers[-1][0] == name and answers[-1][2] == reply:
                answers[-1][1].append(shown)
            else:
                answers.append((name, [shown], reply))
        for name, texts, reply in answers:
            transcript.add(client.name, ">", "%s %s: %s" % (method, name, "  ".join(texts)))
            transcript.add(client.name, "<", reply)
