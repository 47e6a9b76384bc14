import AccessPoints
import Foundation
import Glibc
@_spi(Programs) import LocationInterface
import LocationModel
import Logging
import ProgramTestSupport
import ServiceServer
import Synchronization
@_spi(Programs) import SystemSupport
import Testing

@testable import locationd_nearby

/// What is answered at the sockets, and what the answers need of the radios.
@Suite(.timeLimit(.minutes(10))) struct AnswererTests {
    private let folder: TemporaryFolder
    private let store: NearbyStore
    private let memory: PlaceMemory
    private let clock: ServiceClock
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// A clock that goes on when the test says so.
    private final class Time: Sendable {
        let seconds = Mutex(1000.0)
    }
    private let time = Time()

    init() throws {
        folder = try TemporaryFolder()
        store = try NearbyStore(
            at: folder("places.sqlite"), key: AddressKey(bytes: [UInt8](repeating: 7, count: 32)))
        clock = ServiceClock(
            now: { [time] in BootInstant(seconds: time.seconds.withLock(\.self)) },
            utc: { UTCTime(seconds: 1_800_000_000) })
        memory = try PlaceMemory(store, clock: clock, logger: logger)
    }

    /// Serves at a socket during `body`.
    private func serve(_ answerer: some CallAnswerer, _ body: (String) async throws -> Void) async throws {
        let path = folder("answers.sock")
        let server = try await CallServer(
            socket: .bind(path: path, mode: 0o600, group: nil), limits: CallLimits(), answerer: answerer, logger: logger
        )
        defer { unlink(path) }
        do {
            try await body(path)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    /// A connection that has sent one call.
    private func connection(to path: String, _ method: String, _ rest: String) throws -> Int32 {
        let descriptor = try SocketFile.connection(to: path)
        let call = Array(#"{"method": "\#(method)", \#(rest)}"#.utf8) + [0]
        #expect(send(descriptor, call, call.count, Int32(MSG_NOSIGNAL)) == call.count)
        return descriptor
    }

    private func reply(from path: String, _ method: String) async throws -> String {
        let descriptor = try connection(to: path, method, #""parameters": {}"#)
        return try await blocking {
            defer { close(descriptor) }
            var (text, buffer) = ("", [UInt8](repeating: 0, count: 65_536))
            while !text.hasSuffix("\0") {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                guard count > 0 else { throw Failure("the connection is closed after \(text)") }
                text += String(decoding: buffer.prefix(count), as: UTF8.self)
            }
            return text
        }
    }

    private func answerer(_ methods: Set<String>? = nil) -> NearbyAnswerer {
        NearbyAnswerer(methods: methods, store: store, memory: memory, online: nil, clock: clock)
    }

    /// The pages let administrators learn, and nothing else.
    @Test func otherMethodsThanThoseOfTheSocketAreRefused() async throws {
        try await serve(answerer([NearbyInterface.Method.learn])) { path in
            for method in [NearbyInterface.Method.forget, NearbyInterface.Method.getState] {
                let refused = try await reply(from: path, method)
                #expect(refused.contains("PermissionDenied"), "\(method)")
            }
            let admitted = try await reply(from: path, NearbyInterface.Method.learn)
            #expect(!admitted.contains("PermissionDenied"), "\(admitted)")
        }
        try await serve(answerer()) { path in
            let state = try await reply(from: path, NearbyInterface.Method.getState)
            #expect(state.contains(#""accessPoints":0"#), "\(state)")
            let forgotten = try await reply(from: path, NearbyInterface.Method.forget)
            #expect(forgotten.contains(#""forgotten":0"#), "\(forgotten)")
        }
    }

    /// Who has hung up wants no position any more: the radio need not scan.
    @Test func callThatEndsIsNoDemand() async throws {
        try await serve(ProviderAnswerer(memory: memory, clock: clock)) { path in
            let calls = try (0..<2).map { _ in
                try connection(to: path, ProviderInterface.Method.locate, #""more": true, "parameters": {}"#)
            }
            try await eventually("both are there") { memory.demand.current.value.calls == 2 }
            close(calls[0])
            try await eventually("one is there") { memory.demand.current.value.calls == 1 }
            #expect(memory.demand.current.value.isThere(at: clock.now()))
            close(calls[1])
            try await eventually("none is there") { memory.demand.current.value.calls == 0 }
            #expect(!memory.demand.current.value.isThere(at: clock.now()))
        }
        try await serve(answerer()) { path in
            let call = try connection(
                to: path, NearbyInterface.Method.learn, #""parameters": {"latitude": 52.5, "longitude": 13.4}"#)
            try await eventually("it is there") { memory.demand.current.value.statements == 1 }
            close(call)
            try await eventually("it is gone") { memory.demand.current.value.statements == 0 }
        }
    }

    /// An observation tells where the machine is for 150 s.
    @Test func oldObservationTellsNothing() async throws {
        let scan = AccessPointObservation(time: clock.now(), accessPoints: [received(1), received(2)])
        await memory.observe(scan)
        let lesson = await memory.learn(statedAt: try place(), accuracy: 20, receivedSince: clock.now())
        #expect(lesson?.added == 2)
        for (age, isAnswer) in [(0.0, true), (PlaceMemory.freshness, true), (PlaceMemory.freshness + 1, false)] {
            time.seconds.withLock { $0 = 1000 + age }
            #expect(((try? await memory.answer().get()) != nil) == isAnswer, "after \(age) s")
            #expect(await memory.reception == (isAnswer ? (2, 2) : (0, 0)), "after \(age) s")
            #expect(await (memory.figures.accuracy != nil) == isAnswer)
        }
        #expect(await memory.answer() == .failure(.init(reason: "no access points were received in the last 150 s")))
    }

    /// A day that no clock has, in the file that the service's user can write, ends nothing.
    @Test func dayThatCannotBeWrittenIsNotTold() async throws {
        let stray = KnownAccessPoint(
            coordinate: try place(), spread: 20, weight: 0.1, count: 1, firstDay: .max, lastDay: .max, moves: 0)
        try await store.write([address(1): stray], AccuracyCalibration())
        try await serve(answerer()) { path in
            let state = try await reply(from: path, NearbyInterface.Method.getState)
            #expect(state.contains(#""accessPoints":1"#) && !state.contains("lastDay"), "\(state)")
        }
    }
}
