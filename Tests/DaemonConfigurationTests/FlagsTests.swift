import Logging
import StrictTOML
import Testing

@testable import DaemonConfiguration

@Suite struct FlagsTests {
    @Test func noArgumentsAreTheDefaults() throws {
        let flags = try Flags.parse([])
        #expect(flags == Flags())
        #expect(flags.runtimeDirectory == "/run/locationd")
        #expect(flags.stateDirectory == "/var/lib/locationd")
    }

    @Test func everyFlagIsUnderstoodInBothForms() throws {
        var expected = Flags()
        expected.configurationPath = "a=b.toml"
        expected.policyPath = "p.toml"
        expected.checksConfiguration = true
        expected.runtimeDirectory = "/tmp/r"
        expected.stateDirectory = "/tmp/s"
        expected.source = .gpsd(HostAndPort(host: "::1", port: 2947))
        expected.logLevel = .trace
        expected.showsVersion = true
        expected.showsHelp = true
        let values = [
            ("--config", "a=b.toml"), ("--policy", "p.toml"), ("--runtime-directory", "/tmp/r"),
            ("--state-directory", "/tmp/s"), ("--gpsd", "[::1]"), ("--log-level", "trace"),
        ]
        let switches = ["--check-config", "--version", "--help"]
        #expect(try Flags.parse(values.flatMap { [$0.0, $0.1] } + switches) == expected)
        #expect(try Flags.parse(switches + values.map { "\($0.0)=\($0.1)" }) == expected)
    }

    @Test func sourcesAreUnderstood() throws {
        #expect(try Flags.parse(["--simulate"]).source == .simulator)
        #expect(try Flags.parse(["--replay", "trip.jsonl"]).source == .replay(file: "trip.jsonl"))
    }

    @Test(arguments: [
        (["--simluate"], "locationd: unknown flag \"--simluate\"; did you mean --simulate?"),
        (["-h"], "locationd: unknown flag \"-h\"; see locationd --help"),
        (["--"], "locationd: unknown flag \"--\"; see locationd --help"),
        (["--xyzzy=1"], "locationd: unknown flag \"--xyzzy\"; see locationd --help"),
        (["file"], "locationd: unexpected argument \"file\"; remove it or see locationd --help"),
        ([""], "locationd: unexpected argument \"\"; remove it or see locationd --help"),
        (["="], "locationd: unexpected argument \"\"; remove it or see locationd --help"),
        (["--config"], "locationd: --config lacks its value; write --config PATH"),
        (["--policy"], "locationd: --policy lacks its value; write --policy PATH"),
        (["--config="], "locationd: --config lacks its value; write --config PATH"),
        (["--config", "--help"], "locationd: --config lacks its value; write --config PATH"),
        (["--simulate=yes"], "locationd: --simulate takes no value but has \"yes\"; write --simulate"),
        (["--help", "--help"], "locationd: --help is given twice; give it once"),
        (["--config=a", "--config", "b"], "locationd: --config is given twice; give it once"),
        (
            ["--simulate", "--replay", "f"],
            "locationd: --simulate and --replay exclude each other; choose one source"
        ),
        (["--gpsd", "h", "--simulate"], "locationd: --gpsd and --simulate exclude each other; choose one source"),
        (
            ["--replay=f", "--gpsd=h"],
            "locationd: --replay and --gpsd exclude each other; choose one source"
        ),
        (["--log-level", "wraning"], "locationd: --log-level: \"wraning\" is not a choice; did you mean \"warning\"?"),
        (
            ["--log-level", "7"],
            "locationd: --log-level: \"7\" is not a choice; use one of \"trace\", \"debug\", \"info\", \"notice\", "
                + "\"warning\", \"error\", \"critical\""
        ),
        (
            ["--gpsd", "::1"],
            "locationd: --gpsd: \"::1\" has several colons; write an IPv6 address as [::1]:2947"
        ),
        (
            ["--runtime-directory", ""],
            "locationd: --runtime-directory lacks its value; write --runtime-directory DIR"
        ),
        (["a\nb"], "locationd: unexpected argument \"a\\u{a}b\"; remove it or see locationd --help"),
    ])
    func mistakesSayWhatToDo(_ arguments: [String], _ message: String) {
        let error = #expect(throws: UsageError.self) { try Flags.parse(arguments) }
        #expect(error?.description == message)
    }

    @Test func helpNamesEveryFlag() {
        for name in FlagName.allCases {
            #expect(Flags.helpText.contains("  " + name.flag + (name.placeholder.map { " \($0)" } ?? "")))
        }
        #expect(Flags.helpText.split(separator: "\n").allSatisfy { $0.count <= 100 })
    }

    @Test(arguments: [
        ("localhost", "localhost", 2947), ("10.0.0.1:1", "10.0.0.1", 1),
        ("gps.example.org:65535", "gps.example.org", 65535),
        ("[::1]", "::1", 2947), ("[fe80::1%eth0]:2948", "fe80::1%eth0", 2948), ("[2001:db8::7]:80", "2001:db8::7", 80),
    ])
    func addressesAreUnderstood(_ text: String, _ host: String, _ port: Int) throws {
        #expect(try HostAndPort(parsing: text) == HostAndPort(host: host, port: port))
    }

    @Test(arguments: [
        "", ":", ":1", "h:", "h:0", "h:65536", "h:-1", "h:+1", "h: 1", "h:1:2", "h:99999999999999999999", "[", "[]",
        "[::1",
        "[::1]x", "[::1]:", "[::1]2947", "[h]:1", "[1:2]:1", "::1", "h h", "-h", "h/x", "h\u{0}", "é", "h%1",
        "\u{661}:\u{661}",
    ])
    func badAddressesAreRefused(_ text: String) {
        #expect(throws: Refusal.self) { try HostAndPort(parsing: text) }
    }
}
