import Fleet
import Foundation
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Synchronization
@_spi(Programs) import SystemSupport
import Testing

@testable import Delivery
@testable import HTTPRequests

/// A clock whose time passes when the test says so.
final class TestClock: Sendable {
    private struct State {
        var seconds = 1000.0
        var timers: [Int: (end: Double, body: @Sendable () -> Void)] = [:]
        var number = 0
    }

    private let state = Mutex(State())

    var clock: ServiceClock {
        ServiceClock(
            now: { BootInstant(seconds: self.state.withLock(\.seconds)) },
            utc: { UTCTime(seconds: 1_800_000_000 + Int64(self.state.withLock(\.seconds))) },
            after: { seconds, body in
                let number = self.state.withLock { state in
                    state.number += 1
                    state.timers[state.number] = (state.seconds + seconds, body)
                    return state.number
                }
                return { _ = self.state.withLock { $0.timers.removeValue(forKey: number) } }
            })
    }

    /// Seconds to the next timer; `nil` if there is none.
    var nextTimer: Double? {
        state.withLock { state in state.timers.values.map { $0.end - state.seconds }.min() }
    }

    func advance(_ seconds: Double) {
        let bodies = state.withLock { state in
            state.seconds += seconds
            let due = state.timers.filter { $0.value.end <= state.seconds }
            for number in due.keys { state.timers[number] = nil }
            return due.values.map(\.body)
        }
        for body in bodies { body() }
    }
}

/// A server without a network, which does to each request what it is told.
final class ScriptedServer: Sendable {
    typealias Answer = @Sendable (HTTPRequest) throws(HTTPFailure) -> HTTPAnswer

    private let answers = Mutex<[Answer]>([])
    private let usual = Mutex<Answer>({ _ in ScriptedServer.answer(200, "[]") })
    private let recorder = ValueRecorder<HTTPRequest>()

    static func answer(_ status: Int, _ body: String = "", retryAfter: Double? = nil) -> HTTPAnswer {
        HTTPAnswer(
            status: status, contentType: body.isEmpty ? nil : "application/json", redirection: nil,
            retryAfter: retryAfter, body: Array(body.utf8))
    }

    static func failure(_ failure: HTTPFailure) -> Answer { { _ throws(HTTPFailure) in throw failure } }

    var requests: [HTTPRequest] { recorder.values }
    var bodies: [String] { requests.map { String(decoding: $0.body ?? [], as: UTF8.self) } }
    var paths: [String] { requests.map { String($0.url.drop { $0 != "/" }.dropFirst(2).drop { $0 != "/" }) } }

    func next(_ answers: Answer...) { self.answers.withLock { $0 += answers } }
    func always(_ answer: @escaping Answer) { usual.withLock { $0 = answer } }

    func exchange(_ request: HTTPRequest) throws(HTTPFailure) -> HTTPAnswer {
        let answer = answers.withLock { $0.isEmpty ? nil : $0.removeFirst() } ?? usual.withLock(\.self)
        recorder.append(request)
        return try answer(request)
    }
}

/// A destination with an outbox, whose server and clock are the test's own.
final class DestinationBench: Sendable {
    let outbox: MessageOutbox
    let server = ScriptedServer()
    let time = TestClock()
    let commands = ValueRecorder<RemoteCommand>()
    let log = RecordedLog()
    /// What ``destination`` reads at each attempt.
    let secret = Mutex<DestinationSecret?>(nil)
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        outbox = try MessageOutbox(path: folder("outbox.sqlite"), limit: 1 << 22)
    }

    func destination(
        _ url: String, name: String = "home", _ change: (inout HTTPDestination) -> Void = { _ in }
    ) throws -> HTTPDestination {
        var destination = try HTTPDestination(
            name: name, address: DestinationAddress(url), user: "anna", device: "van")
        destination.secret = { [self] in secret.withLock(\.self) }
        change(&destination)
        return destination
    }

    /// Runs it beside the test.
    func run(_ destination: HTTPDestination, _ body: (HTTPDelivery) async throws -> Void) async throws {
        let showsNewest = destination.address.form.showsNewest
        _ = try await outbox.configure([destination.name: showsNewest], hasBroker: false)
        let delivery = HTTPDelivery(
            destination, outbox, rate: 1000, clock: time.clock, logger: log.logger, jitter: { 0.5 }
        ) { [server] request, _ throws(HTTPFailure) in try server.exchange(request) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [commands] in
                await delivery.run { _, _ in
                } _: {
                    commands.append($0)
                }
            }
            do {
                try await body(delivery)
            } catch {
                await delivery.end()
                throw error
            }
            await delivery.end()
        }
    }

    /// Puts locations of these times into the outbox, and says so.
    func insert(_ times: Int64..., to delivery: HTTPDelivery? = nil, trigger: String = "t") async throws {
        for time in times {
            let text =
                #"{"_id":"\#(time)","_type":"location","acc":5,"lat":50.1,"lon":8.2,"m":2,"t":"\#(trigger)","tid":"an","tst":\#(time)}"#
            try await insert(text, .location)
            await delivery?.add(1, dropped: 0)
        }
    }

    func insert(_ text: String, _ kind: FleetMessage.Kind) async throws {
        _ = try await outbox.insert([
            FleetMessage(
                topic: "\(kind)", kind: kind, isRetained: true, payload: Array(text.utf8), audience: .destinations)
        ])
    }

    /// The times of the locations that the server was sent.
    var times: [Int] {
        server.bodies.compactMap { $0.firstMatch(of: /"tst":(\d+)/).flatMap { Int($0.1) } }
    }

    func cursor(_ name: String = "home") async throws -> Int64? { try await outbox.progress(of: name)?.cursor }
}
