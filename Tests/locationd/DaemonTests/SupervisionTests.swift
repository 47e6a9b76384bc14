@_spi(Programs) import LocationModel
import Logging
import ProgramTestSupport
import ServiceKit
@_spi(Programs) import SystemSupport
import Testing

@testable import LocationServer
@testable import locationd

/// systemd is told what there is to tell, and nothing twice; it is fed while every thread is alive.
@Suite struct SupervisionTests {
    private let folder: TemporaryFolder
    private let receiver: NotificationReceiver
    private let log = RecordedLog()

    init() throws {
        folder = try TemporaryFolder()
        receiver = try NotificationReceiver("@" + folder.path)
    }

    private func heartbeat(_ supervision: Supervision) -> (@Sendable () -> Double)? {
        supervision.heartbeat(logger: Logger(label: "test") { _ in log })
    }

    private func supervision(_ change: [String: String] = [:]) throws -> Supervision {
        try Supervision(ServiceEnvironment(["NOTIFY_SOCKET": receiver.address].merging(change) { $1 }))
    }

    private func summary(_ state: SourceState, reason: String? = nil, clients: Int = 0) -> ServiceSummary {
        let status = ServiceStatus(
            authorization: .authorizedAlways, accuracy: .full, enabled: true,
            source: SourceStatus(state: state, reason: reason))
        return ServiceSummary(status: status, location: nil, clients: clients)
    }

    @Test func withoutSystemdNothingIsAsked() throws {
        let supervision = try Supervision(ServiceEnvironment(["WATCHDOG_USEC": "1000000"]))
        #expect(supervision.summary == nil && heartbeat(supervision) == nil && supervision.heartbeats.interval == nil)
        supervision.ready()
        supervision.stopping()
    }

    @Test func withoutWatchdogNothingBeats() throws {
        let supervision = try supervision()
        #expect(supervision.summary != nil && heartbeat(supervision) == nil && supervision.heartbeats.interval == nil)
    }

    @Test func stepsAreTold() throws {
        let supervision = try supervision()
        supervision.ready()
        let before = MachineClock.monotonicMicroseconds
        supervision.reloading()
        supervision.ready()
        supervision.stopping()
        supervision.failed("no way")
        let messages = receiver.messages
        let reload = try #require(messages.count == 5 ? messages[1].split(separator: "\n") : nil)
        #expect(messages == ["READY=1", messages[1], "READY=1", "STOPPING=1", "STATUS=no way"])
        #expect(reload.count == 2 && reload[0] == "RELOADING=1")
        let moment = try #require(reload[1].split(separator: "=").last.flatMap { UInt64($0) })
        #expect((before...MachineClock.monotonicMicroseconds).contains(moment))
    }

    @Test func onlyNewsAreTold() throws {
        let tell = try #require(try supervision().summary)
        tell(summary(.stopped))
        tell(summary(.stopped))
        tell(summary(.stopped, clients: 1))
        tell(summary(.stopped))
        #expect(receiver.messages == ["STATUS=idle; no clients", "STATUS=idle; 1 client", "STATUS=idle; no clients"])
    }

    @Test func whatSystemdWasTooBusyForIsToldAgain() throws {
        let tell = try #require(try supervision().summary)
        var count = 0
        while count < 100_000, try NotificationSocket(receiver.address).send(.watchdog, waits: false) { count += 1 }
        tell(summary(.stopped))
        #expect(receiver.messages.count == count)
        tell(summary(.stopped))
        #expect(receiver.messages.last == "STATUS=idle; no clients")
    }

    @Test func watchdogIsFedInHalfItsTimeWhileThreadsLive() throws {
        let supervision = try supervision(["WATCHDOG_USEC": "3000000"])
        let feed = try #require(heartbeat(supervision))
        #expect(supervision.heartbeats.interval == 1.5)
        #expect(feed() == 1.5 && receiver.messages == ["WATCHDOG=1"])
        do {
            let reader = supervision.heartbeats.begin("gps-reader", at: .now.advanced(by: .seconds(-2)))
            #expect(feed() < 0.2 && feed() < 0.2)
            #expect(receiver.messages.count == 1, "it is not fed")
            #expect(log.lines.count == 1 && log.lines[0].hasPrefix("critical: a thread does not respond"))
            reader.beat()
            #expect(feed() == 1.5 && receiver.messages.count == 2)
            reader.beat(at: .now.advanced(by: .seconds(-2)))
            #expect(feed() < 0.2 && log.lines.count == 2, "told anew")
        }
        #expect(feed() == 1.5 && receiver.messages.count == 3)
    }

    @Test func malformedVariableIsRefused() {
        #expect(throws: SystemdError.self) { try supervision(["WATCHDOG_USEC": "soon"]) }
        #expect(throws: SystemdError.self) { try supervision(["NOTIFY_SOCKET": "nowhere"]) }
    }
}
