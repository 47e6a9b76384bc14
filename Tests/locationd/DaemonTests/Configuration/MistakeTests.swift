import ServiceKit
import Testing

@testable import DaemonConfiguration

/// A text with one mistake, and where it is reported.
struct Mistake: Sendable, CustomTestStringConvertible {
    let text: String
    let line: Int?
    let key: String?
    /// The whole message, where its words matter.
    var message: String?

    init(_ text: String, _ line: Int?, _ key: String?, _ message: String? = nil) {
        self.text = text
        self.line = line
        self.key = key
        self.message = message
    }

    var testDescription: String { text.debugDescription }
}

@Suite struct MistakeTests {
    @Test(arguments: syntax + tables + types + ranges + words + sources + otherKinds + odd)
    func everyMistakeIsReportedWhereItIs(_ mistake: Mistake) throws {
        let error = try #require(configurationMistake(in: mistake.text))
        #expect(error.origin == "locationd.toml")
        #expect(error.line == mistake.line)
        #expect(error.key == mistake.key)
        #expect(!error.problem.isEmpty && !error.remedy.isEmpty)
        #expect(!error.description.contains { $0.isNewline })
        if let message = mistake.message { #expect(error.description == message) }
    }

    static let syntax = [
        Mistake(
            "[delivery\nlinger = 1", 1, nil,
            "locationd.toml:1: not valid TOML: the closing ] is missing; correct this line or comment it out"),
        Mistake(
            "[delivery]\nlinger = ", 2, nil,
            "locationd.toml:2: not valid TOML: the value is missing or has no quotes; correct this line or comment it out"
        ),
        Mistake("[delivery]\nlinger 1", 2, nil),
        Mistake("[delivery]\nlinger = [1, \u{85}2]", 2, nil),
        Mistake("[delivery]\nlinger = 1\u{2028}", 2, nil),
        Mistake("[delivery]\nlinger = 1 stale-after = 2", 2, nil),
        Mistake("\n[=]", 2, nil),
        Mistake("\n[[.a]]", 2, nil),
        Mistake("\n[a.]", 2, nil),
        Mistake("\n[]", 2, nil),
        Mistake("\nsources = [{ kind = \"gpsd\" } { kind = \"gpsd\" }]", 2, nil),
        Mistake("\nsources = [{ kind = \"gpsd\", }]", 2, nil),
        Mistake("\nsources = [{ kind = \"gpsd\" port = 1 }]", 2, nil),
        Mistake("a = [\n1,\n2\n", 4, nil),
        Mistake("[delivery]\nlinger = 1\nlinger = 2", 3, nil),
        Mistake("[delivery]\n\nlinger = \"1", 3, nil),
        Mistake("[service]\nlog-level = info", 2, nil),
        Mistake("[limits]\nclients = 9223372036854775808", 2, nil),
        Mistake("a = \"\"\"\nno end\n", 1, nil),
        Mistake(
            "[service]\nlog-level = \"in\0fo\"", 2, nil,
            "locationd.toml:2: not valid TOML: a NUL character; correct this line or comment it out"),
        Mistake("[service]\nlog-level = \"info\\u0000\"", 2, nil),
        Mistake(
            "\n" + Array(repeating: "a", count: 100_000).joined(separator: ".") + " = 1", 2, nil,
            "locationd.toml:2: not valid TOML: nested more than 16 deep; correct this line or comment it out"),
        Mistake("a = " + String(repeating: "[", count: 100_000), 1, nil),
    ]

    static let tables = [
        Mistake(
            "[servce]\nlog-level = \"info\"", 1, "servce",
            "locationd.toml:1: servce: unknown key; did you mean service?"),
        Mistake(
            "log-level = \"info\"", 1, "log-level",
            "locationd.toml:1: log-level: unknown key; it belongs to [service]"),
        Mistake(
            "[delivery]\nhost = \"::1\"", 2, "delivery.host",
            "locationd.toml:2: delivery.host: unknown key; it belongs to [[sources]]"),
        Mistake(
            "[limits]\n# a comment\nclient = 4", 3, "limits.client",
            "locationd.toml:3: limits.client: unknown key; did you mean clients?"),
        Mistake(
            "[access]\ncolour = 'red'", 2, "access.colour",
            "locationd.toml:2: access.colour: unknown key; known here are group"),
        Mistake("[limits]\nClients = 4", 2, "limits.Clients"),
        Mistake("[limits]\nclients_per_user = 4", 2, "limits.clients_per_user"),
        Mistake("[limits.clients]\nmost = 4", 1, "limits.clients"),
        Mistake("[limits]\n\"two words\" = 4", 2, "limits.\"two words\""),
        Mistake("[limits]\n\"a\\nb\\u001b\" = 4", 2, #"limits."a\u{a}b\u{1b}""#),
        Mistake("delivery = { linger = 1, stale = 2 }", 1, "delivery.stale"),
        Mistake("delivery.linger = 1\ndelivery.lingers = 2", 2, "delivery.lingers"),
        Mistake(
            "service = 5", 1, "service",
            "locationd.toml:1: service: is an integer, not a table; write its keys below a line [service]"),
        Mistake("[[service]]\nlog-level = \"info\"", 1, "service"),
        Mistake("\"\" = 1", 1, "\"\""),
        Mistake(
            "[[rules]]\neveryone = true", 1, "rules",
            "locationd.toml:1: rules: is not read here; write the rules in policy.toml beside this file"),
    ]

    static let types = [
        Mistake(
            "[delivery]\nlinger = \"5\"", 2, "delivery.linger",
            "locationd.toml:2: delivery.linger: is text, not a number; use a number from 0 to 86400 (seconds)"),
        Mistake("[delivery]\nlinger = true", 2, "delivery.linger"),
        Mistake(
            "[delivery]\nlinger = 1979-05-27", 2, "delivery.linger",
            "locationd.toml:2: delivery.linger: is a date or time, which no key accepts; "
                + "write a number, a boolean or text in quotes"),
        Mistake("[delivery]\nlinger = 1979-05-27 4##{_", 2, "delivery.linger"),
        Mistake("[delivery]\nlinger = [1, 1979-", 2, "delivery.linger[1]"),
        Mistake("[delivery]\nlinger = 1979-05-27 07:32:00Z", 2, "delivery.linger"),
        Mistake("[delivery]\nlinger = 07:32:00", 2, "delivery.linger"),
        Mistake("[delivery]\nlinger = [\n1,\n2\n]", 2, "delivery.linger"),
        Mistake("[delivery]\nlinger = { seconds = 5 }", 2, "delivery.linger"),
        Mistake(
            "[limits]\nclients = 4096.0", 2, "limits.clients",
            "locationd.toml:2: limits.clients: is a floating-point number, not an integer; "
                + "use an integer from 1 to 65536"),
        Mistake("[service]\nlog-level = 3", 2, "service.log-level"),
        Mistake("[access]\ngroup = 100", 2, "access.group"),
        Mistake("[[sources]]\nkind = \"replay\"\nfile = \"/f\"\nloop = 1", 4, "sources[0].loop"),
    ]

    static let ranges = [
        Mistake(
            "[delivery]\nstale-after = 0.1", 2, "delivery.stale-after",
            "locationd.toml:2: delivery.stale-after: 0.1 is out of range; use a number from 0.5 to 3600 (seconds)"),
        Mistake("[delivery]\nstale-after = nan", 2, "delivery.stale-after"),
        Mistake("[delivery]\nstale-after = inf", 2, "delivery.stale-after"),
        Mistake("[delivery]\nstale-after = -inf", 2, "delivery.stale-after"),
        Mistake("[delivery]\nstale-after = 1e400", 2, nil),
        Mistake("[delivery]\nstale-after = 9223372036854775807", 2, "delivery.stale-after"),
        Mistake("[delivery]\nfailover-delay = 601", 2, "delivery.failover-delay"),
        Mistake("[delivery]\nfailover-hysteresis = -0.1", 2, "delivery.failover-hysteresis"),
        Mistake(
            "[delivery]\nrefresh-interval = 9", 2, "delivery.refresh-interval",
            "locationd.toml:2: delivery.refresh-interval: 9 is out of range; "
                + "use a number from 10 to 86400 (seconds), or \"off\""),
        Mistake("[delivery]\nrefresh-interval = \"on\"", 2, "delivery.refresh-interval"),
        Mistake(
            "[power]\nminimum-battery = 0", 2, "power.minimum-battery",
            "locationd.toml:2: power.minimum-battery: 0 is out of range; "
                + "use an integer from 1 to 100 (percent), or \"off\""),
        Mistake("[power]\nminimum-battery = 101", 2, "power.minimum-battery"),
        Mistake("[power]\nminimum-battery = \"full\"", 2, "power.minimum-battery"),
        Mistake("[limits]\nclients = 0", 2, "limits.clients"),
        Mistake("[limits]\nclients = -9223372036854775808", 2, "limits.clients"),
        Mistake("[limits]\nrequest-size = 0xFFFFFFFF", 2, "limits.request-size"),
        Mistake("[limits]\nstalled-timeout = 0", 2, "limits.stalled-timeout"),
        Mistake("[limits]\nrequests-per-second = 0.9", 2, "limits.requests-per-second"),
        Mistake("[limits]\nauthorizations-per-user = 1001", 2, "limits.authorizations-per-user"),
        Mistake(
            "[privacy]\nreduced-grid = 499", 2, "privacy.reduced-grid",
            "locationd.toml:2: privacy.reduced-grid: 499 is out of range; use a number from 500 to 50000 (metres)"),
        Mistake("[privacy]\nreduced-grid = 50001", 2, "privacy.reduced-grid"),
        Mistake("[privacy]\nreduced-interval = 59", 2, "privacy.reduced-interval"),
        Mistake("[privacy]\nreduced-interval = 86401", 2, "privacy.reduced-interval"),
        Mistake("[privacy]\nhistory-days = 0", 2, "privacy.history-days"),
        Mistake("[privacy]\nhistory-days = 3651", 2, "privacy.history-days"),
        Mistake("[metrics]\ninterval = 0.9", 2, "metrics.interval"),
        Mistake(
            "[metrics]\ntextfile = \"/metrics.txt\"", 2, "metrics.textfile",
            "locationd.toml:2: metrics.textfile: \"/metrics.txt\" does not end with .prom, and node_exporter reads no "
                + "other file; use an absolute path in quotes that ends with .prom, or \"\" for none"),
        Mistake("[metrics]\ntextfile = \"metrics.prom\"", 2, "metrics.textfile"),
        Mistake("[metrics]\ntextfile = \"/var/lib/.prom\"", 2, "metrics.textfile"),
        Mistake("[privacy]\nhistory-size = 65535", 2, "privacy.history-size"),
        Mistake("[privacy]\nhistory-size = 104857601", 2, "privacy.history-size"),
    ]

    static let words = [
        Mistake(
            "[service]\nlog-level = \"inof\"", 2, "service.log-level",
            "locationd.toml:2: service.log-level: \"inof\" is not a choice; did you mean \"info\"?"),
        Mistake("[service]\nlog-level = \"INFO\"", 2, "service.log-level"),
        Mistake("[service]\nlog-level = \"\"", 2, "service.log-level"),
        Mistake("[access]\ngroup = \"\"", 2, "access.group"),
        Mistake("[access]\ngroup = \"two words\"", 2, "access.group"),
        Mistake("[access]\ngroup = \"1000\"", 2, "access.group"),
    ]
}
