import ClientTestSupport
import Glibc
import LocationInterface
import LocationKit
import TestSupport
import Testing
import Varlink

/// Limits hold for each user alone and never for the administrator; administration is for administrators.
@Suite(.onOwnThread, .timeLimit(.minutes(2)), .enabled(if: OtherUser.canBeBecome, "becoming other users takes root"))
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
        let visit = try daemon.visit(uid: stranger)
        for _ in 1...6 { try visit.send(Visit.Ask.getStatus) }
        let replies = try (1...6).map { _ in try visit.next() }
        #expect(replies.first?.error == nil)
        let refused = try #require(replies.first { $0.error != nil })
        #expect(refused.error == LocationInterface.Failure.tooManyRequests)
        #expect(try refused.parameters(as: LocationFailure.TooMany.self).limit == 1)
        #expect(try visit.status().authorization == .notDetermined, "the connection goes on")
        // Another user is not concerned, and the administrator never.
        #expect(try daemon.visit(uid: stranger + 1).status().authorization == .notDetermined)
        let root = try daemon.visit(uid: 0)
        for _ in 1...50 { #expect(try root.status().authorization == .authorizedAlways) }
    }

    @Test func soManyMayWaitForADecision() throws {
        let daemon = try DaemonProcess(Settings.simulator() + "[limits]\nauthorizations-per-user = 2\n")
        let guest = try Guest(uid: stranger)
        let waiting = try (1...2).map { _ in try guest.connect(to: daemon.socket) }
        for visit in waiting { #expect(try visit.ask(more: true).authorizationPending) }
        let third = try guest.connect(to: daemon.socket)
        #expect(throws: LocationError.tooManyAuthorizations(limit: 2)) { try third.ask(more: true) }
        #expect(try third.ask(more: false).authorizationPending, "whoever does not wait may ask")
        #expect(try daemon.visit(uid: stranger + 1).ask(more: true).authorizationPending)
        try daemon.decide(.authorizedAlways, "uid:\(stranger)")
        for visit in waiting { #expect(try visit.nextStatus(continues: false).authorization == .authorizedAlways) }
        #expect(try third.ask(more: false).authorization == .authorizedAlways)
    }

    @Test func strangerDoesNotAdminister() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let guest = try Guest(uid: stranger)
        #expect(throws: (any Error).self) { try guest.connect(to: daemon.control) }
        do {
            _ = try guest.connect(to: daemon.control)
        } catch {
            #expect("\(error)" == "refused: Permission denied")
        }
        // Should the file let somebody through all the same.
        #expect(chmod(daemon.control, 0o666) == 0)
        let visit = try guest.connect(to: daemon.control)
        for order in Self.orders {
            try visit.send(order)
            #expect(try visit.next().error == "org.varlink.service.PermissionDenied", "\(order)")
        }
        #expect(try daemon.status().enabled)
        #expect(try daemon.authorizations().isEmpty)
        #expect(try visit.status().authorization == .notDetermined, "it gives no location either")
        #expect(try visit.refusal() != nil)
    }

    @Test(arguments: [OtherUser.stranger.number, 0]) func publicSocketHasNoAdministration(uid: UInt32) throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let visit = try daemon.visit(uid: uid)
        for order in Self.orders {
            try visit.send(order)
            #expect(try visit.next().error == "org.varlink.service.InterfaceNotFound", "\(order)")
        }
        #expect(try daemon.status().enabled)
    }
}
