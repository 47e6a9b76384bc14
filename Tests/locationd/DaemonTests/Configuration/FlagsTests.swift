import ArgumentParser
import Logging
import ProgramTestSupport
import ServiceKit
import Testing

@testable import DaemonConfiguration

@Suite struct FlagsTests {
    @Test func noArgumentsAreTheDefaults() throws {
        let flags = try Flags.parse([])
        #expect(flags.runtimeDirectory == "/run/locationd")
        #expect(flags.stateDirectory == "/var/lib/locationd")
        #expect(flags.configurationPath == nil && flags.policyPath == nil && flags.source == nil)
        #expect(flags.logLevel == nil && !flags.checksConfiguration && !flags.showsVersion)
    }

    @Test func everyFlagIsUnderstoodInBothForms() throws {
        let values = [
            ("--config", "a=b.toml"), ("--policy", "p.toml"), ("--runtime-directory", "/tmp/r"),
            ("--state-directory", "/tmp/s"), ("--gpsd", "[::1]"), ("--log-level", "trace"),
        ]
        let switches = ["--check-config", "--version"]
        for arguments in [
            values.flatMap { [$0.0, $0.1] } + switches, switches + values.map { "\($0.0)=\($0.1)" },
        ] {
            let flags = try Flags.parse(arguments)
            #expect(flags.configurationPath == "a=b.toml" && flags.policyPath == "p.toml")
            #expect(flags.runtimeDirectory == "/tmp/r" && flags.stateDirectory == "/tmp/s")
            #expect(flags.source == .gpsd(HostAndPort(host: "::1", port: 2947)))
            #expect(flags.logLevel == .trace && flags.checksConfiguration && flags.showsVersion)
        }
    }

    @Test func sourcesAreUnderstood() throws {
        #expect(try Flags.parse(["--simulate"]).source == .simulator)
        #expect(try Flags.parse(["--replay", "trip.jsonl"]).source == .replay(file: "trip.jsonl"))
    }

    @Test(arguments: [
        (["--simluate"], "Unknown option '--simluate'. Did you mean '--simulate'? See"),
        (["--xyzzy=1"], "Unknown option '--xyzzy'; see"),
        (["file"], "Unexpected argument 'file'; see"),
        ([""], "Unexpected argument ''; see"),
        (["="], "Unexpected argument '='; see"),
        (["--config"], "Missing value for '--config <path>'; see"),
        (["--policy"], "Missing value for '--policy <path>'; see"),
        (["--config="], "Missing value for '--config <path>'; see"),
        (["--config", "--version"], "Missing value for '--config <path>'; see"),
        (["--simulate=yes"], "The option '--simulate' does not take any value, but 'yes' was specified. See"),
        (["--simulate", "--replay", "f"], "--simulate and --replay exclude each other; choose one source; see"),
        (["--gpsd", "h", "--simulate"], "--gpsd and --simulate exclude each other; choose one source; see"),
        (["--replay=f", "--gpsd=h"], "--gpsd and --replay exclude each other; choose one source; see"),
        (
            ["--log-level", "wraning"],
            "The value 'wraning' is invalid for '--log-level <level>': \"wraning\" is not a choice; "
                + "did you mean \"warning\"? See"
        ),
        (
            ["--log-level", "7"],
            "The value '7' is invalid for '--log-level <level>': \"7\" is not a choice; use one of \"trace\", "
                + "\"debug\", \"info\", \"notice\", \"warning\", \"error\", \"critical\"; see"
        ),
        (
            ["--gpsd", "::1"],
            "The value '::1' is invalid for '--gpsd <host:port>': \"::1\" has several colons; "
                + "write an IPv6 address as [::1]:2947; see"
        ),
        (
            ["--runtime-directory", ""],
            "The value '' is invalid for '--runtime-directory <dir>': the value is empty; see"
        ),
        (["a\nb"], "Unexpected argument 'a\\u{a}b'; see"),
    ])
    func mistakesSayWhatToDo(_ arguments: [String], _ message: String) throws {
        let error = #expect(throws: (any Error).self) { try Flags.parse(arguments) }
        #expect(try Flags.mistake(#require(error)) == "\(message) locationd --help")
    }

    @Test func helpNamesEveryFlag() throws {
        for flag in ["--help", "-h"] {
            let error = #expect(throws: (any Error).self) { try Flags.parse([flag]) }
            #expect(try Flags.mistake(#require(error)) == nil)
            let text = try Flags.fullMessage(for: #require(error), columns: 100)
            #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
            let names = ListedFlag.all(inHelp: text).map(\.name)
            #expect(
                names == [
                    "--config", "--policy", "--check-config", "--runtime-directory", "--state-directory", "--gpsd",
                    "--simulate", "--replay", "--log-level", "--version", "--help",
                ])
        }
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
