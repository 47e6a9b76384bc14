import ClientTestSupport
import Delivery
import Fleet
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Synchronization
@_spi(Programs) import SystemSupport
import Testing

@testable import locationd_fleet

/// A wall clock that the test sets, whose timers are due when it is set.
private final class HoursClock: Sendable {
    private struct State {
        var minute: Int
        var timers: [Int: @Sendable () -> Void] = [:]
        var number = 0
    }

    private let state: Mutex<State>

    /// - Parameter minute: since midnight.
    init(minute: Int) { state = Mutex(State(minute: minute)) }

    var clock: ServiceClock {
        ServiceClock(
            now: { MachineClock.now }, utc: { [self] in UTCTime(seconds: Int64(state.withLock(\.minute)) * 60) },
            after: { [self] _, body in
                let number = state.withLock { state in
                    state.number += 1
                    state.timers[state.number] = body
                    return state.number
                }
                return { [self] in state.withLock { $0.timers[number] = nil } }
            })
    }

    /// Sets it, and calls what waits for a later time.
    func set(minute: Int) {
        let due = state.withLock { state in
            state.minute = minute
            defer { state.timers = [:] }
            return Array(state.timers.values)
        }
        for body in due { body() }
    }
}

extension DaemonProcess {
    /// The state of the daemon's receivers.
    func source() throws -> SourceState {
        try administer(LocationInterface.Method.getStatus, as: StatusReply.self).status.source
    }
}

/// The daemon is asked for locations in the configured hours alone.
@Suite(.timeLimit(.minutes(10))) struct DaemonFeedTests {
    private static let purpose = "a test of hours"

    private func requests(at daemon: DaemonProcess) async throws -> Int {
        try await blocking {
            try daemon.administer(AdminInterface.Method.listClients, as: ClientList.self).clients
                .count { $0.purpose == Self.purpose }
        }
    }

    @Test func outsideOfTheHoursNoReceiverRuns() async throws {
        let daemon = try await DaemonProcess.started(FleetMachine.journey)
        let center = try #require(Coordinate(latitude: -0.22, longitude: -78.5125))
        let region = try Region(identifier: "harbour", shape: .circle(RegionCircle(center: center, radius: 50)))
        let access = LocationConfiguration(socketPath: daemon.control, purpose: Self.purpose)
        let time = HoursClock(minute: 7 * 60 + 30)
        let bench = try PublisherBench()
        func inserted() async throws -> Int { try await bench.outbox.count().messages }
        try await bench.withPublisher(
            clock: time.clock, hours: ["mon 07:00-08:00"], local: { .init(weekday: 0, minute: Int($0.seconds / 60)) }
        ) { publisher in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await DaemonFeed(publisher, ReportPolicy(), [region], access).run() }
                try await eventually("locations come, and the region is monitored") {
                    guard try await inserted() >= 1 else { return false }
                    return try await requests(at: daemon) == 2
                }
                time.set(minute: 8 * 60)
                try await eventually("nothing is asked for") { try await requests(at: daemon) == 0 }
                try await eventually("the receiver is off") { try await blocking { try daemon.source() } == .stopped }
                let before = try await inserted()
                // The same hour again, as if the clock had been set back.
                time.set(minute: 7 * 60 + 1)
                try await eventually("locations come again") {
                    guard try await inserted() > before else { return false }
                    return try await requests(at: daemon) == 2
                }
                group.cancelAll()
            }
        }
        try await eventually("nothing is left") { try await requests(at: daemon) == 0 }
    }
}
