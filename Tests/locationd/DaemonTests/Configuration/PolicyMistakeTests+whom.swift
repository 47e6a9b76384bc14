import ServiceKit

extension PolicyMistakeTests {
    static let whom = [
        PolicyMistake(
            about: "# nobody",
            "1: rules[0]: does not say which programs it matches; give it one of user, group, unit, bridge, everyone"),
        PolicyMistake(
            about: "unit = \"a.service\"\nuser = 1",
            "1: rules[0]: has user and unit, but a rule has exactly one of them; write a rule for each"),
        PolicyMistake(
            about: "everyone = true\ngroup = 1\nuser = 1",
            "1: rules[0]: has user and group and everyone, but a rule has exactly one of them; write a rule for each"),
        PolicyMistake(about: "everyone = false", "2: rules[0].everyone: is false; say true or remove it"),
        PolicyMistake(about: "everyone = \"true\"", "2: rules[0].everyone: is text, not a boolean; use true"),
        PolicyMistake(
            about: "user = \"alcie\"",
            "2: rules[0].user: the system has no user \"alcie\"; correct the name or remove the rule"),
        PolicyMistake(
            about: "group = \"alice\"",
            "2: rules[0].group: the system has no group \"alice\"; correct the name or remove the rule"),
        PolicyMistake(
            about: "user = \"far\"",
            "2: rules[0].user: the user \"far\" cannot be looked up: the directory is down; "
                + "write the number or repair the system's name service"),
        PolicyMistake(about: "user = \"\"", "2: rules[0].user: is empty; use the name of a user in quotes or a uid"),
        PolicyMistake(
            about: "user = true",
            "2: rules[0].user: is a boolean, not the name or number of a user; "
                + "use the name of a user in quotes or a uid"),
        PolicyMistake(
            about: "user = -1", "2: rules[0].user: -1 is out of range; use the name of a user in quotes or a uid"),
        PolicyMistake(
            about: "user = 4294967296",
            "2: rules[0].user: 4294967296 is out of range; use the name of a user in quotes or a uid"),
        PolicyMistake(
            about: "user = 1000.0",
            "2: rules[0].user: is a floating-point number, not the name or number of a user; "
                + "use the name of a user in quotes or a uid"),
        PolicyMistake(
            about: "group = \"0100\"",
            "2: rules[0].group: \"0100\" is not a gid; use the name of a group in quotes or a gid"),
        PolicyMistake(
            about: "user = \"4294967296\"",
            "2: rules[0].user: \"4294967296\" is not a uid; use the name of a user in quotes or a uid"),
        PolicyMistake(
            about: "user = \"-1\"",
            "2: rules[0].user: the system has no user \"-1\"; correct the name or remove the rule"),
        PolicyMistake(
            about: "user = 65534",
            "2: rules[0].user: 65534 is the overflow id (nobody), which stands for any user; name another user"),
        PolicyMistake(
            about: "user = \"65534\"",
            "2: rules[0].user: 65534 is the overflow id (nobody), which stands for any user; name another user"),
        PolicyMistake(
            about: "user = \"nobody\"",
            "2: rules[0].user: 65534 is the overflow id (nobody), which stands for any user; name another user"),
        PolicyMistake(
            about: "group = \"nogroup\"",
            "2: rules[0].group: 65534 is the overflow id (nogroup), which stands for any group; name another group"),
        PolicyMistake(
            about: "user = 4294967295",
            "2: rules[0].user: 4294967295 is the overflow id (nobody), which stands for any user; name another user"),
        PolicyMistake(
            about: "unit = \"navigator\"",
            "2: rules[0].unit: \"navigator\" is not the name of a service; write \"navigator.service\""),
        PolicyMistake(
            about: "unit = \"navigator.socket\"",
            "2: rules[0].unit: \"navigator.socket\" is not the name of a service; "
                + "use the name of a service in quotes, such as \"navigator.service\""),
        PolicyMistake(
            about: "unit = \"system.slice/a.service\"",
            "2: rules[0].unit: \"system.slice/a.service\" is not the name of a service; "
                + "use the name of a service in quotes, such as \"navigator.service\""),
        PolicyMistake(
            about: "bridge = \"nema\"", "2: rules[0].bridge: \"nema\" is not a choice; did you mean \"nmea\"?"),
        PolicyMistake(about: "bridge = true", "2: rules[0].bridge: is a boolean, not text; use one of \"nmea\""),
        PolicyMistake(
            about: "unit = \"a@.service\"",
            "2: rules[0].unit: \"a@.service\" is a template, which no program belongs to; "
                + "name one of its instances, such as \"a@1.service\""),
    ]
}
