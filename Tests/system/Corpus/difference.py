"""The first difference between what gpsd said and what the daemon delivered, in words."""

from oracle import FIELDS


def first_difference(expected, received):
    """Compares two lists of locations.

    :returns: `None` if they are equal, in order and to the last bit of every number.
    """
    for index, (fix, location) in enumerate(zip(expected, received)):
        if fix != location:
            return _explain(index, expected, received)
    if len(received) < len(expected):
        return "fix %d %s never arrived" % (len(received) + 1, _name(expected[len(received)]))
    if len(received) > len(expected):
        return _surplus(len(expected), expected, received)
    return None


def _explain(index, expected, received):
    fix, location = expected[index], received[index]
    is_ahead, comes_later = location in expected[index + 1:], fix in received[index + 1:]
    if is_ahead and comes_later:
        return "wrong order: fix %d %s arrived before fix %d" % (
            expected.index(location, index + 1) + 1, _name(location), index + 1)
    if is_ahead:
        return "fix %d %s never arrived" % (index + 1, _name(fix))
    if comes_later or location in expected[:index]:
        return _surplus(index, expected, received)
    return "fix %d %s: " % (index + 1, _name(fix)) + "; ".join(
        "%s is %s, gpsd said %s" % (field, _show(location[field]), _show(fix[field]))
        for field in FIELDS if fix[field] != location[field])


def _surplus(index, expected, received):
    location = received[index]
    if location in expected[:index]:
        last = max(number for number, fix in enumerate(expected[:index]) if fix == location)
        return "location %d repeats fix %d %s" % (index + 1, last + 1, _name(location))
    return "location %d %s is none of gpsd's fixes" % (index + 1, _name(location))


def _name(location):
    return "(%s, %s %s)" % (
        location["timestamp"] or "no time", _show(location["latitude"]), _show(location["longitude"]))


def _show(value):
    return "absent" if value is None else str(value)
