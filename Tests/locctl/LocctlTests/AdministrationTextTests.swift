import ArgumentParser
import Foundation
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import Testing

@testable import locctl

/// What administrators read.
struct AdministrationTextTests {
    @Test func countersHaveNounsInTheRightNumber() {
        var one = Statistics()
        (one.clients, one.watches, one.monitors, one.requests) = (1, 1, 0, 2)
        (one.fixes, one.repeats, one.dropped, one.refusedConnections) = (7, 1, 2, 1)
        one.battery = BatteryReport(level: 22, discharging: true, minimum: 20, low: false, faults: 1)
        one.sources = [
            SourceReport(
                name: "gpsd", running: true, fixes: 1,
                counters: ["connectionFailures": 5, "jump": 1, "spoiltFields": 2, "ofALaterVersion": 3], reason: nil)
        ]
        let text = StatisticsText.lines(one).joined(separator: "\n")
        for words in [
            "1 connection: 1 watch, 0 monitors, 2 requests for one location; 1 connection refused",
            "; 1 repeat dropped", "2 locations dropped for slow readers", "; 1 reading not believed",
            "source gpsd: running, 1 fix\n", "    5 connections failed\n",
            "    1 fix held back: too far from the one before\n", "    2 messages with spoilt fields",
            "    ofALaterVersion: 3\n",
        ] {
            #expect(text.contains(words), "\(words) in \(text)")
        }
    }

    @Test func unknownUserIsOneThingOrTheOther() {
        let absent = PrincipalText.unknown("user:nobodyatall") { _ in nil }
        #expect(absent.message == "there is no user nobodyatall on this machine; `getent passwd` lists the users")
        let silent = PrincipalText.unknown("user:anna") { _ in 1000 }
        #expect(
            silent.message
                == "nothing is known about the user anna; `locctl authorizations` lists the known principals")
        let unit = PrincipalText.unknown("unit:a.service") { _ in nil }
        #expect(unit.message?.hasPrefix("nothing is known about unit:a.service; ") == true)
    }

    @Test(arguments: [
        ("anna", "user:anna"), ("1000", "uid:1000"), ("weather.service", "unit:weather.service"),
        ("user:anna", "user:anna"), ("uid:7", "uid:7"), ("user:1000", "user:1000"), ("4294967296", "4294967296"),
        ("a name", "a name"), ("", ""),
    ])
    func nameAloneIsAUsers(text: String, principal: String) {
        #expect(PrincipalSyntax.completed(text) == principal)
    }

    @Test func overflowUserIsNoneByItsNameAlone() throws {
        #expect(try DenyCommand.parse(["anna"]).whom.principal == "user:anna")
        #expect(throws: (any Error).self) { _ = try DenyCommand.parse(["nobody"]) }
        #expect(throws: (any Error).self) { _ = try DenyCommand.parse(["65534"]) }
    }

    @Test func waitingRequestsAreOneLine() {
        #expect(WaitingRequests.line(nil) == nil && WaitingRequests.line(0) == nil)
        let what = "`locctl authorizations` lists what waits"
        #expect(WaitingRequests.line(1) == "1 request for authorization waits; \(what)")
        #expect(WaitingRequests.line(3) == "3 requests for authorization wait; \(what)")
    }

    @Test func monitorsOfAllHaveColumnsThatSayWhatTheyAre() {
        let monitor = NamedMonitorReport(
            principal: "uid:4242", name: "harbour", active: true, authorized: true, regions: 3, weight: 12,
            significantChange: false, visits: true)
        let lines = AllMonitorsText.lines([monitor])
        #expect(lines.first?.hasSuffix("REGIONS  LIMIT WEIGHT  ALSO") == true, "\(lines)")
        #expect(lines.last?.contains("12            visits") == true, "\(lines)")
    }

    @Test func stateNobodyKnowsIsNoEvent() throws {
        let text = Data(#"{"identifier":"circle","state":"unknown"}"#.utf8)
        let report = try JSONDecoder().decode(RegionReportOnWire.self, from: text)
        #expect(RegionText.line(report) == "circle: unknown yet")
    }

    @Test(arguments: [
        ("watch --every 5 --passive", "--every: a passive watch starts no receiver that could rest"),
        ("watch --every 5 --heading", "--every: it is for locations alone"),
        ("watch --pauses-automatically --satellites", "--pauses-automatically: it is for locations alone"),
        ("watch --max-delay 5 --heading", "--max-delay: it is for locations alone"),
        ("watch --desired-accuracy 5 --passive", "--desired-accuracy: a passive watch starts no source"),
        ("watch --json --format csv", "--format cannot be used with --json"),
        ("statistics --json --format prometheus", "--format cannot be used with --json"),
        ("fleet --json --format geojson", "--format cannot be used with --json"),
        ("track --json --output x", "--json cannot be used with --output"),
        ("authorize anna --full --reduced", "--full cannot be used with --reduced"),
        ("regions --all --remove x", "--remove cannot be used with --all"),
        ("monitor-region --geojson f 1 2 3", "--geojson cannot be used with a circle"),
    ])
    func optionsThatExcludeEachOtherAreNamed(line: String, told: String) {
        let error = #expect(throws: (any Error).self) {
            _ = try Locctl.parseAsRoot(line.split(separator: " ").map(String.init))
        }
        #expect(error.map { Locctl.fullMessage(for: $0).contains(told) } == true, "\(error.map { "\($0)" } ?? "")")
    }

    @Test func optionsThatGoTogetherAreAccepted() throws {
        for line in [
            "watch --every 5 --json", "watch --max-delay 5 --passive", "track --trip 1 --json",
            "trips --include-simulated",
        ] {
            _ = try Locctl.parseAsRoot(line.split(separator: " ").map(String.init))
        }
    }
}
