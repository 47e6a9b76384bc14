import ServiceKit

extension PolicyMistakeTests {
    private static let alice = "[[rules]]\nuser = \"alice\"\nauthorization = \"ask\"\n"
    private static let restricted = "[[rules]]\nuser = \"alice\"\nauthorization = \"restricted\"\n"

    static let form = [
        PolicyMistake("[rule", "1: not valid TOML: the closing ] is missing; correct this line or comment it out"),
        PolicyMistake("rule = []", "1: rule: unknown key; did you mean rules?"),
        PolicyMistake("[limits]\nclients = 4", "1: limits: unknown key; known here are rules, users-decide"),
        PolicyMistake(
            "[rules]\nuser = 1", "1: rules: is a table, not a list of tables; write [[rules]] above each rule"),
        PolicyMistake("rules = []", "1: rules: has no rule; write one or leave the list out"),
        PolicyMistake(
            "rules = [\n{ user = 1, authorization = \"ask\" },\n2\n]",
            "3: rules[1]: is an integer, not a table; write [[rules]] above each rule"),
        PolicyMistake(
            "[[rules]]\nuser = \"alice\"\nuser = \"bob\"",
            "3: not valid TOML: rules[0].user is already there on line 2; correct this line or comment it out"),
        PolicyMistake(alice + "acuracy = \"reduced\"", "4: rules[0].acuracy: unknown key; did you mean accuracy?"),
        PolicyMistake(
            alice + "minimum_interval = 4", "4: rules[0].minimum_interval: unknown key; did you mean minimum-interval?"),
        PolicyMistake(
            alice + "colour = 1",
            "4: rules[0].colour: unknown key; "
                + "known here are user, group, unit, bridge, everyone, authorization, accuracy, minimum-interval, "
                + "on-behalf-of"),
        PolicyMistake(
            alice + "[rules.clients]",
            "4: rules[0].clients: unknown key; "
                + "known here are user, group, unit, bridge, everyone, authorization, accuracy, minimum-interval, "
                + "on-behalf-of"),
        PolicyMistake(
            alice + "[[rules]]\nuser = 1",
            "4: rules[1].authorization: is missing; give it one of \"authorizedAlways\", "
                + "\"authorizedWhenInUse\", \"restricted\", \"ask\""),
        PolicyMistake(
            "[[rules]]\nuser = 1\nauthorization = \"authorisedAlways\"",
            "3: rules[0].authorization: \"authorisedAlways\" is not a choice; did you mean \"authorizedAlways\"?"),
        PolicyMistake(
            "[[rules]]\nuser = 1\nauthorization = true",
            "3: rules[0].authorization: is a boolean, not text; "
                + "use one of \"authorizedAlways\", \"authorizedWhenInUse\", \"restricted\", \"ask\""),
        PolicyMistake(
            alice + "accuracy = \"unknown\"",
            "4: rules[0].accuracy: \"unknown\" is not a choice; use one of \"full\", \"reduced\""),
        PolicyMistake(
            alice + "accuracy = \"reduce\"",
            "4: rules[0].accuracy: \"reduce\" is not a choice; did you mean \"reduced\"?"),
        PolicyMistake(
            alice + "minimum-interval = -1",
            "4: rules[0].minimum-interval: -1 is out of range; use a number from 0 to 86400 (seconds)"),
        PolicyMistake(
            alice + "minimum-interval = nan",
            "4: rules[0].minimum-interval: nan is out of range; use a number from 0 to 86400 (seconds)"),
        PolicyMistake(
            alice + "minimum-interval = 86401",
            "4: rules[0].minimum-interval: 86401 is out of range; use a number from 0 to 86400 (seconds)"),
        PolicyMistake(
            alice + "minimum-interval = \"1\"",
            "4: rules[0].minimum-interval: is text, not a number; use a number from 0 to 86400 (seconds)"),
        PolicyMistake(
            restricted + "accuracy = \"full\"",
            "4: rules[0].accuracy: has no effect in a rule with restricted; remove it"),
        PolicyMistake(
            restricted + "minimum-interval = 9",
            "4: rules[0].minimum-interval: has no effect in a rule with restricted; remove it"),
    ]

    static let serving = ["group = \"gps\"", "bridge = \"nmea\"", "everyone = true"].map {
        PolicyMistake(
            about: $0 + "\non-behalf-of = true",
            "3: rules[0].on-behalf-of: is for a rule with user or unit alone; "
                + "remove it, or name the user or unit of each program that serves others")
    }

    static let order = [
        PolicyMistake(
            about: "everyone = true", then: "user = 1",
            "4: rules[1]: can never match, because rules[0] above it matches everyone; "
                + "move it above that rule or remove it"),
        PolicyMistake(
            about: "everyone = true", then: "everyone = true",
            "4: rules[1]: can never match, because rules[0] above it matches everyone; "
                + "move it above that rule or remove it"),
        PolicyMistake(
            about: "user = \"alice\"", then: "user = 1001",
            "4: rules[1]: can never match, for rules[0] above it is about the same; leave one of the two"),
    ]
}
