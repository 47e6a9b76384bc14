import Authorization
import ClientTestSupport
import Foundation
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Testing

/// A rule about a service of the system holds for that service, and for nobody who calls itself so.
@Suite(
    .onOwnThread, .timeLimit(.minutes(10)),
    .enabled(if: ControlGroup.isPossible && ControlGroupTree.kernelReportsUnits(), "units take root and Linux 6.13"))
struct UnitIdentityTests {
    private let stranger = OtherUser.stranger.number
    /// Each test has a unit of its own, also beside those of another run.
    private let name = "locationd-test-\(UInt32.random(in: .min ... .max))"
    private var unit: String { "\(name)-navigator.service" }

    private func daemon() throws -> DaemonProcess {
        try DaemonProcess(policy: "[[rules]]\nunit = \"\(unit)\"\nauthorization = \"authorizedAlways\"\n")
    }

    @Test func serviceGetsIn() throws {
        let daemon = try daemon()
        let connection = try daemon.connection(uid: stranger, in: "system.slice/\(unit)")
        #expect(try connection.status().authorization == .authorizedAlways)
        #expect(try connection.location().source.name == "simulator")
        let clients = try daemon.clients()
        let client = try #require(clients.first { $0.socket == .location })
        #expect(client.principal == "unit:\(unit)")
        let delivered = try daemon.history(of: "unit:\(unit)")
        #expect(delivered.map(\.event) == [.delivered] && delivered.first?.uid == Int(stranger))
    }

    @Test func otherPlacesGainNothing() throws {
        let daemon = try daemon()
        let places = [
            "user.slice/user-\(stranger).slice/\(name)/app-org.gnome.Maps-1.scope", "user.slice/\(unit)",
            "user.slice/user-\(stranger).slice/user@\(stranger).service/app.slice/\(unit)",
            "user.slice/\(name).slice/system.slice/\(unit)", unit, "system.slice/\(name).scope/\(unit)",
        ]
        for place in places {
            let connection = try daemon.connection(uid: stranger, in: place)
            #expect(try connection.status().authorization == .notDetermined, "\(place)")
            #expect(try connection.refusal() != nil, "\(place)")
            #expect(
                try connection.status().reason?.contains("`sudo locctl authorize uid:\(stranger)`") == true, "\(place)")
        }
    }

    @Test func namesAndWordsGainNothing() throws {
        let daemon = try daemon()
        let disguise = daemon.folder(unit)
        try FileManager.default.createSymbolicLink(atPath: disguise, withDestinationPath: AssistantProcess.interpreter)
        let program = try OtherUserProcess(uid: stranger, interpreter: disguise)
        let connection = try program.connect(to: daemon.socket)
        #expect(text(of: "/proc/\(program.pid)/cmdline").hasPrefix(disguise))
        #expect(text(of: "/proc/\(program.pid)/comm") == unit.prefix(15) + "\n")
        #expect(try connection.ask(purpose: "unit:\(unit)").authorization == .notDetermined)
        var parameters = WatchRequest()
        parameters.purpose = unit
        let opening = try connection.watch(parameters)
        #expect(opening.location == nil && opening.status?.authorization == .notDetermined)
        #expect(try daemon.authorizations().map(\.principal) == ["uid:\(stranger)"])
    }

    @Test func decisionAboutAUnitIsNotAboutItsUser() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let service = try daemon.connection(uid: stranger, in: "system.slice/\(unit)")
        let user = try daemon.connection(uid: stranger)
        #expect(try service.ask().authorizationPending)
        #expect(try daemon.authorizations().map(\.principal) == ["unit:\(unit)"])
        #expect(try daemon.decide(.authorizedAlways, "unit:\(unit)").connections == 1)
        #expect(try service.status().authorization == .authorizedAlways)
        #expect(try user.status().authorization == .notDetermined)
        // A denial of the user is one of its services too.
        try daemon.decide(.denied, "uid:\(stranger)")
        #expect(try service.status().authorization == .denied)
    }
}
