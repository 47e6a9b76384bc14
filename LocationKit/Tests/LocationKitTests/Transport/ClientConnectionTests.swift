import Dispatch
import TestSupport
import Testing
import Varlink

@_spi(Programs) @testable import LocationKit

/// Connections that never block.
@Suite(.timeLimit(.minutes(10)))
struct ClientConnectionTests {
    private struct Nothing: Codable {}

    /// The events of a connection, as words.
    private static func word(_ input: ClientConnection.Input) -> String {
        switch input {
        case .reply(let reply): reply.error ?? "reply"
        case .ended(let error): "\(error)"
        }
    }

    @Test func absentDaemonIsReportedImmediately() async throws {
        let folder = try TemporaryFolder()
        let path = folder("nobody.sock")
        let errors = ValueRecorder<LocationError>()
        _ = ClientThread(named: "kit-absent").perform { loop in
            do throws(LocationError) {
                _ = try loop.connect(to: path) { _ in }
            } catch {
                errors.append(error)
            }
        }
        try await eventually { errors.count == 1 }
        guard case .daemonNotRunning(path, _) = errors.values.first else {
            Issue.record("\(errors.values)")
            return
        }
    }

    @Test func floodOfOneStarvesNoOther() async throws {
        let flood = try LiveDaemon { _, _ in Array(repeating: #"{"continues":true}"#, count: 200_000) }
        let quiet = try LiveDaemon { _, _ in ["{}"] }
        let thread = ClientThread(named: "kit-flood")
        let flooded = ValueRecorder<Void>()
        let answered = ValueRecorder<Int>()
        _ = thread.perform { loop in
            let first = try? loop.connect(to: flood.path) { _ in flooded.append(()) }
            try? first?.send("a.b", Nothing(), more: true)
            _ = loop.schedule(at: loop.now.advanced(bySeconds: 0.05)) { loop in
                let second = try? loop.connect(to: quiet.path) { _ in
                    answered.append(flooded.count)
                    first?.close()
                }
                try? second?.send("a.b", Nothing())
            }
        }
        try await eventually { answered.count > 0 }
        #expect(try #require(answered.values.first) < 200_000)
    }

    @Test func closedConnectionReceivesNothing() async throws {
        let daemon = try LiveDaemon { _, _ in ["{\"continues\":true}", "{\"continues\":true}"] }
        let thread = ClientThread(named: "kit-closed")
        let received = ValueRecorder<String>()
        _ = thread.perform { loop in
            var all: [ClientConnection] = []
            for number in 0..<4 {
                let connection = try? loop.connect(to: daemon.path) { _ in
                    received.append("\(number)")
                    for connection in all { connection.close() }
                    all = []
                }
                try? connection?.send("a.b", Nothing(), more: true)
                if let connection { all.append(connection) }
            }
        }
        try await eventually { daemon.accepted == 4 && daemon.open == 0 }
        try await eventually { ThreadCount.named("kit-closed") == 0 }
        #expect(received.count == 1)
    }

    @Test func repliesThatArrivedBeforeTheEndAreDelivered() async throws {
        let daemon = try LiveDaemon { call, daemon in
            call.contains("last") ? nil : [#"{"continues":true}"#, #"{"error":"a.B"}"#]
        }
        let received = ValueRecorder<String>()
        _ = ClientThread(named: "kit-end").perform { loop in
            let connection = try? loop.connect(to: daemon.path) { input in
                received.append(Self.word(input))
            }
            try? connection?.send("a.first", Nothing())
            try? connection?.send("a.last", Nothing())
        }
        try await eventually { received.values == ["reply", "a.B", "\(LocationError.disconnected)"] }
    }

    @Test func largeCallWaitsForTheDaemon() async throws {
        let size = 1 << 20
        let daemon = try LiveDaemon { call, _ in call.utf8.count > size ? ["{}"] : nil }
        let received = ValueRecorder<String>()
        _ = ClientThread(named: "kit-large").perform { loop in
            var connection: ClientConnection?
            connection = try? loop.connect(to: daemon.path) { input in
                received.append(Self.word(input))
                connection?.close()
            }
            try? connection?.send("a.b", ["unread": String(repeating: "x", count: size)])
        }
        try await eventually { received.values == ["reply"] }
    }

    /// The queue holds one; another connection waits until the daemon accepts it.
    @Test func fullQueueIsRetried() async throws {
        let folder = try TemporaryFolder()
        let path = folder("busy.sock")
        let queue = try BusySocket(path)
        let thread = ClientThread(named: "kit-busy")
        let received = ValueRecorder<String>()
        let (taken, taker) = AsyncStream.makeStream(of: Result<Void, any Error>.self)
        // The waiting connections give up after 10 s: they are accepted by a thread that depends on no other test's
        // tasks.
        DispatchQueue(label: "taking").async {
            taker.yield(Result { for _ in 0..<5 { try queue.turnOneAway() } })
            taker.finish()
        }
        _ = thread.perform { loop in
            for _ in 0..<5 {
                let connection = try? loop.connect(to: path) { input in received.append(Self.word(input)) }
                try? connection?.send("a.b", Nothing())
            }
        }
        for await result in taken { try result.get() }
        try await eventually { received.count == 5 }
        #expect(Set(received.values) == ["\(LocationError.disconnected)"])
        try await eventually { ThreadCount.named("kit-busy") == 0 }
    }
}
