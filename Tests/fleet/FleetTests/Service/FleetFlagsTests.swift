import ArgumentParser
import Delivery
import Fleet
import Logging
import ProgramTestSupport
import ServiceKit
import Testing

@testable import locationd_fleet

/// What the program makes of its command line, and which keys of the configuration it replaces.
@Suite struct FleetFlagsTests {
    @Test func commandLineIsRead() throws {
        let usual = try FleetFlags.parse([])
        #expect(
            usual.service.configurationPath == nil && usual.daemon == nil && usual.broker == nil && usual.outbox == nil)
        #expect(!usual.includesSimulated && !usual.service.checksConfiguration && !usual.showsVersion)
        #expect(try FleetFlags.parse(["--version"]).showsVersion)
    }

    @Test(
        arguments: [
            (["--brocker", "x"], "Unknown option '--brocker'. Did you mean '--broker'? See"),
            (["--user", "a/b"], "The value 'a/b' is invalid for '--user <name>': use \(FleetDevice.accepted); see"),
            (
                ["--broker", "localhost"],
                "The value 'localhost' is invalid for '--broker <url>': use \(BrokerAddresses.accepted); see"
            ),
        ])
    func wrongCommandLinesSayWhatToDo(arguments: [String], reason: String) throws {
        let error = #expect(throws: (any Error).self) { _ = try FleetFlags.parse(arguments) }
        #expect(try FleetFlags.mistake(#require(error)) == "\(reason) locationd-fleet --help")
    }

    @Test func flagsReplaceTheirKeys() throws {
        var configuration = try fleetConfiguration(
            of: "[broker]\nurl = \"mqtt://file\"\nuser = \"file\"\n[outbox]\npath = \"/file\"")
        configuration.apply(try FleetFlags.parse([]))
        #expect(configuration.broker.addresses?.hosts == "file" && configuration.outbox.path == "/file")
        configuration.apply(
            try FleetFlags.parse([
                "--daemon", "/d", "--broker", "mqtts://flag:1", "--user", "anna", "--device", "boat", "--outbox", "/o",
                "--password-file", "/p", "--ca-file", "/c", "--include-simulated", "--log-level", "debug",
            ]))
        #expect(configuration.service.daemon == "/d" && configuration.service.logLevel == .debug)
        #expect(configuration.broker.addresses?.description == "mqtts://flag:1")
        #expect(configuration.broker.tls.authorities == "/c" && configuration.broker.loginFile == "/p")
        #expect(try configuration.device().locationTopic == "owntracks/anna/boat")
        #expect(configuration.outbox.path == "/o" && configuration.reports.includesSimulated)
    }
}
