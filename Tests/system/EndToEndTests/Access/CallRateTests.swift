import ClientTestSupport
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Testing
import Varlink

/// Limits hold for each user alone and never for the administrator; administration is for administrators.
@Suite(.onOwnThread, .timeLimit(.minutes(10)), .enabled(if: OtherUser.canBeBecome, "becoming other users takes root"))
struct CallRateTests {
    private let stranger = OtherUser.stranger.number
    private static let orders = [
        DaemonProcess.Order.start, DaemonProcess.Order.stop, DaemonProcess.Order.listClients,
        DaemonProcess.Order.reload,
        DaemonProcess.Order.getStatistics, DaemonProcess.Order.listAuthorizations, DaemonProcess.Order.getHistory,
        DaemonProcess.Order.setAuthorization, DaemonProcess.Order.resetAuthorization, DaemonProcess.Order.simulate,
    ]

    @Test func whoAsksTooFastIsToldAndServedAgain() throws {
        let daemon = try DaemonProcess(Settings.simulator() + "[limits]\nrequests-per-second = 1\n")
        // Coming counts as asking, and twice a second's worth may come at once.
        let connection = try daemon.connection(uid: stranger)
        for _ in 1...6 { try connection.send(ClientConnection.Ask.getStatus) }
        let replies = try (1...6).map { _ in try connection.next() }
        #expect(replies.first?.error == nil)
        let refused = try #require(replies.first { $0.error != nil })
        #expect(refused.error == LocationInterface.Failure.tooManyRequests)
        #expect(try refused.parameters(as: LocationFailure.TooMany.self).limit == 1)
        try waitUntil("the connection goes on") {
            try? connection.status().authorization == .notDetermined ? true : nil
        }
        // Another user is not concerned, and the administrator never.
        #expect(try daemon.connection(uid: stranger + 1).status().authorization == .notDetermined)
        let root = try daemon.connection(uid: 0)
        for _ in 1...50 { #expect(try root.status().authorization == .authorizedAlways) }
    }

    @Test func soManyMayWaitForADecision() throws {
        let daemon = try DaemonProcess(Settings.simulator() + "[limits]\nauthorizations-per-user = 2\n")
        let program = try OtherUserProcess(uid: stranger)
        let waiting = try (1...2).map { _ in try program.connect(to: daemon.socket) }
        for connection in waiting { #expect(try connection.ask(more: true).authorizationPending) }
        let third = try program.connect(to: daemon.socket)
        #expect(throws: LocationError.tooManyAuthorizations(limit: 2)) { try third.ask(more: true) }
        #expect(try third.ask(more: false).authorizationPending, "whoever does not wait may ask")
        #expect(try daemon.connection(uid: stranger + 1).ask(more: true).authorizationPending)
        try daemon.decide(.authorizedAlways, "uid:\(stranger)")
        for connection in waiting {
            #expect(try connection.nextStatus(continues: false).authorization == .authorizedAlways)
        }
        #expect(try third.ask(more: false).authorization == .authorizedAlways)
    }

    @Test func strangerDoesNotAdminister() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let program = try OtherUserProcess(uid: stranger)
        #expect(throws: (any Error).self) { try program.connect(to: daemon.control) }
        do {
            _ = try program.connect(to: daemon.control)
        } catch {
            #expect("\(error)" == "refused: Permission denied")
        }
        // Should the file let somebody through all the same.
        #expect(chmod(daemon.control, 0o666) == 0)
        let connection = try program.connect(to: daemon.control)
        for order in Self.orders {
            try connection.send(order)
            #expect(try connection.next().error == "org.varlink.service.PermissionDenied", "\(order)")
        }
        #expect(try daemon.status().enabled)
        #expect(try daemon.authorizations().isEmpty)
        #expect(try connection.status().authorization == .notDetermined, "it gives no location either")
        #expect(try connection.refusal() != nil)
    }

    @Test(arguments: [OtherUser.stranger.number, 0]) func publicSocketHasNoAdministration(uid: UInt32) throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let connection = try daemon.connection(uid: uid)
        for order in Self.orders {
            try connection.send(order)
            #expect(try connection.next().error == "org.varlink.service.InterfaceNotFound", "\(order)")
        }
        #expect(try daemon.status().enabled)
    }
}
