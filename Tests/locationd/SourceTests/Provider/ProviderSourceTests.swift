import Foundation
@_spi(Programs) import LocationModel
import ProgramTestSupport
@_spi(Programs) import SystemSupport
import Testing

@testable import ProviderSource

/// The source with the provider of the examples, and with what is none.
@Suite(.timeLimit(.minutes(10))) struct ProviderSourceTests {
    private let folder: TemporaryFolder
    private var endpoint: ProviderEndpoint

    init() throws {
        folder = try TemporaryFolder()
        endpoint = ProviderEndpoint(path: folder("provider"))
    }

    /// Runs the source until `body` returns.
    private func withSource(
        _ body: (ProviderSource, ValueRecorder<SourceEvent>) async throws -> Void
    ) async throws {
        let source = ProviderSource(name: "nearby", endpoint: endpoint)
        let events = ValueRecorder<SourceEvent>()
        try await withThrowingTaskGroup { group in
            group.addTask { await source.run { events.append($0) } }
            defer { group.cancelAll() }
            try await body(source, events)
        }
    }

    private func startProvider(_ latitude: Double = 52.5) throws -> LoggedProcess {
        let script = Repository.root.appending(path: "Examples/Provider/provider.py").path
        return try LoggedProcess("python3", [script, endpoint.path, "\(latitude)", "13.4", "30"])
    }

    private func awaitFix(_ latitude: Double, _ events: ValueRecorder<SourceEvent>) async throws {
        try await eventually("a fix at \(latitude)", events) { events in
            events.contains {
                if case .position(let fix, _) = $0 { fix.coordinate.latitude == latitude } else { false }
            }
        }
    }

    private func awaitReason(_ words: String, _ events: ValueRecorder<SourceEvent>) async throws {
        try await eventually("a condition says \(words)", events) { events in
            events.contains { event in
                guard case .condition(let condition) = event else { return false }
                return condition.reason?.contains(words) == true
            }
        }
    }

    /// A changed demand is a new call over a new connection, and the former one lasts until then.
    @Test func providerIsToldWhatSuffices() async throws {
        let listener = try SocketFile.listener(at: endpoint.path)
        defer { close(listener) }
        func accept() async throws -> (UnixSocket, call: String) {
            var connection: UnixSocket?
            try await eventually("the daemon connects") {
                connection = UnixSocket(acceptedBy: listener)
                return connection != nil
            }
            let socket = try #require(connection)
            var call: [UInt8] = []
            try await eventually("the daemon calls") {
                call += try socket.read(forMilliseconds: 0) ?? []
                return call.last == 0
            }
            return (socket, String(decoding: call, as: UTF8.self))
        }
        try await withSource { source, _ in
            let (first, call) = try await accept()
            #expect(!call.contains("desiredAccuracy"), "\(call)")
            let change = MachineClock.now
            source.setDesiredAccuracy(100)
            let (second, next) = try await accept()
            #expect(next.contains("\"desiredAccuracy\":100"), "\(next)")
            try await eventually("the first is closed") {
                try first.read(forMilliseconds: 0) == []
            }
            // Other programs decide how often it changes: the last one counts, a second after the former call.
            for accuracy in [200.0, 300, 400, 500] { source.setDesiredAccuracy(accuracy) }
            var (latest, count) = ((second, next), 1.0)
            while !latest.1.contains("\"desiredAccuracy\":500") {
                latest = try await accept()
                count += 1
            }
            #expect(MachineClock.now.seconds(since: change) >= count - 1)
        }
    }

    @Test func providerIsConnectedWhileTheSourceRunsAndFoundAgain() async throws {
        let first = try startProvider()
        defer { first.signal(SIGKILL) }
        try await withSource { _, events in
            try await awaitFix(52.5, events)
            first.signal(SIGKILL)
            try await awaitReason("ended the connection", events)
            try await awaitReason("no provider listens", events)
            let second = try startProvider(48.25)
            defer { second.signal(SIGKILL) }
            try await awaitFix(48.25, events)
        }
    }

    /// A program that says something to everybody who connects, and goes on.
    private static func server(saying message: String, uid: UInt32 = geteuid()) -> String {
        """
        import os, socket, sys
        os.setuid(\(uid))
        server = socket.socket(socket.AF_UNIX)
        server.bind(sys.argv[1])
        server.listen()
        connections = []
        while True:
            connections.append(server.accept()[0])
            try:
                connections[-1].sendall(b'\(message)' + bytes(1))
            except OSError:
                pass
        """
    }

    @Test(.enabled(if: geteuid() == 0)) func anotherUsersSocketIsNotRead() async throws {
        let reply = #"{"continues":true,"parameters":{"position":{"latitude":1,"longitude":1,"horizontalAccuracy":5}}}"#
        chmod(folder.path, 0o777)
        let stranger = try LoggedProcess(
            "python3", ["-c", Self.server(saying: reply, uid: 60043), endpoint.path])
        defer { stranger.signal(SIGKILL) }
        try await withSource { source, events in
            try await awaitReason("belongs to the user with the number 60043", events)
            #expect(events.values.allSatisfy { if case .position = $0 { false } else { true } })
            #expect(source.counters["failures"].map { $0 > 0 } == true)
        }
        var trusting = self
        trusting.endpoint.user = "60043"
        try await trusting.withSource { _, events in try await trusting.awaitFix(1, events) }
    }

    @Test func socketOfSomethingElseIsSaidToBe() async throws {
        let other = try LoggedProcess(
            "python3", ["-c", Self.server(saying: "HTTP/1.1 400 Bad Request"), endpoint.path])
        defer { other.signal(SIGKILL) }
        try await withSource { _, events in
            try await awaitReason("does not speak org.locationd.provider", events)
            #expect(
                !events.values.contains { if case .condition(.connected) = $0 { true } else { false } },
                "an outage is reported once, and not again with each attempt")
        }
    }
}
