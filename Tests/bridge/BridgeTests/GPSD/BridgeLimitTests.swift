import Bridge
import Glibc
import Logging
import ProgramTestSupport
import ServiceServer
import Testing

/// What a user of the bridge may use, and that others notice nothing.
@Suite(.timeLimit(.minutes(10)))
struct BridgeLimitTests {
    private static let watch = #"?WATCH={"enable":true,"json":true};"#
    private static let noWatch = #"?WATCH={"enable":false};"#

    private let folder: TemporaryFolder
    private let daemon: FakeDaemon
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        daemon = try FakeDaemon(in: folder)
        path = folder("gpsd.sock")
    }

    private func withServer(
        _ change: (inout GPSDServer.Limits) -> Void = { _ in },
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        _ body: (GPSDServer) async throws -> Void
    ) async throws {
        var limits = GPSDServer.Limits()
        change(&limits)
        let listener = try SocketFile.listener(at: path)
        let server = try await GPSDServer(
            [.inherited(listener), .tcp(host: "127.0.0.1", port: 0)], daemon: daemon.path, limits: limits,
            logger: logger)
        do { try await body(server) } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    // MARK: Owners

    /// It would be served with the bridge's own user's permission, if it counted as that user's.
    @Test func connectionWithoutAnOwnerIsRefused() async throws {
        try await withServer { server in
            let client = try BridgeClient(port: try #require(server.tcpPort), isNameless: true)
            try await client.awaitText("the kernel does not name the owner of this connection")
            try await client.awaitEnd()
            #expect(!daemon.hasConnection, "the daemon is asked for somebody")
        }
    }

    // MARK: The daemon

    @Test func watchThatIsSwitchedOffAndOnCostsTheDaemonNothing() async throws {
        try await withServer { _ in
            let client = try BridgeClient(path: path)
            try client.send(Self.watch)
            let watch = try await daemon.conversation(calling: "Watch")
            for _ in 0..<20 { try client.send(Self.noWatch + Self.watch) }
            for _ in 0..<20 {
                let other = try BridgeClient(path: path)
                try other.send(Self.watch)
                try await other.awaitText(#""class":"WATCH""#)
            }
            try await client.awaitText(#""class":"WATCH""#, count: 41)
            #expect(!daemon.hasConnection && !watch.hasEnded)
        }
    }

    @Test func watchEndsWithItsLastClient() async throws {
        try await withServer { _ in
            var client: BridgeClient? = try BridgeClient(path: path)
            try client?.send(Self.watch)
            let watch = try await daemon.conversation(calling: "Watch")
            client = nil
            try await watch.awaitEnd()
            // And begins with the next.
            client = try BridgeClient(path: path)
            try client?.send(Self.watch)
            _ = try await daemon.conversation(calling: "Watch")
        }
    }

    /// Sentences and objects both need the satellites, so that no client makes a second watch of it.
    @Test func oneWatchServesSentencesAndObjects() async throws {
        try await withServer { _ in
            let client = try BridgeClient(path: path)
            try client.send(#"?WATCH={"enable":true,"nmea":true};"#)
            let watch = try await daemon.conversation(calling: "Watch")
            #expect(watch.call.contains(#""satellites":true"#), "\(watch.call)")
            let other = try BridgeClient(path: path)
            try other.send(Self.watch)
            try await other.awaitText(#""class":"WATCH""#)
            #expect(!daemon.hasConnection && !watch.hasEnded)
        }
    }

    /// The daemon judges root otherwise where the kernel names who has made the socket.
    @Test func theDaemonLearnsWhereTheIdentityIsFrom() async throws {
        try await withServer { server in
            let local = try BridgeClient(path: path)
            try local.send(Self.watch)
            let watch = try await daemon.conversation(calling: "Watch")
            #expect(watch.call.contains(#""transport":"unix""#))
            let remote = try BridgeClient(port: try #require(server.tcpPort))
            try remote.send(Self.watch)
            #expect(try await daemon.conversation(calling: "Watch").call.contains(#""transport":"tcp""#))
            // One that the test has forgotten would be opened anew meanwhile.
            #expect(!watch.hasEnded)
        }
    }

    // MARK: Requests

    @Test func requestsOverTheRateWaitAndAreAnswered() async throws {
        try await withServer {
            $0.requestsPerSecond = 1
        } _: { _ in
            let client = try BridgeClient(path: path)
            let clock = ContinuousClock()
            let start = clock.now
            // The connection and the first request are the burst.
            for number in 1...3 {
                try client.send("?VERSION;\n")
                try await client.awaitText(#""class":"VERSION""#, count: number + 1)
            }
            #expect(clock.now - start > .seconds(1))
        }
    }

    @Test func floodLosesNothing() async throws {
        try await withServer { _ in
            let client = try BridgeClient(path: path)
            try client.send(String(repeating: "x\n", count: 2000) + "?VERSION;\n")
            try await client.awaitText("Unrecognized request 'x'", count: 2000)
            try await client.awaitText(#""class":"VERSION""#, count: 2)
        }
    }

    /// All that it is answered would be far more than is held for it.
    @Test func clientThatReadsLateLosesNoAnswer() async throws {
        try await withServer { _ in
            let client = try BridgeClient(path: path)
            let count = 4000
            try client.send(String(repeating: "?WATCH;", count: count))
            let other = try BridgeClient(path: path)
            try other.send("?VERSION;\n")
            try await other.awaitText(#""class":"VERSION""#, count: 2)
            try await client.awaitText(#""class":"WATCH""#, count: count)
        }
    }

    @Test func requestsBeforeTheEndOfAConnectionAreAnswered() async throws {
        try await withServer {
            $0.requestsPerSecond = 1
        } _: { _ in
            let client = try BridgeClient(path: path)
            for _ in 0..<3 { try client.send("?DEVICES;\n") }
            client.endSending()
            try await client.awaitText(#""class":"DEVICES""#, count: 3)
            try await client.awaitEnd()
        }
    }

    @Test func clientThatReadsNoAnswerIsClosed() async throws {
        try await withServer {
            $0.stalledTimeout = 1
        } _: { _ in
            let client = try BridgeClient(path: path)
            try client.send(String(repeating: "?WATCH;", count: 4000))
            try await client.awaitHangUp()
        }
    }

    @Test(.enabled(if: getuid() == 0, "becoming other users takes root"))
    func floodOfAnotherUserIsAnsweredAtItsRate() async throws {
        try await withServer {
            $0.requestsPerSecond = 10
        } _: { _ in
            chmod(path, 0o666)
            let clock = ContinuousClock()
            let start = clock.now
            let hostile = try await BridgeClient.ofAnotherUser(path: path, count: 10)
            for client in hostile { try client.send(String(repeating: "x\n", count: 20_000)) }
            // One for each connection, and each of the others is a turn of 64 requests.
            func answered() throws -> Int {
                for client in hostile { try client.readWhatHasCome() }
                return hostile.reduce(0) { $0 + $1.text.ranges(of: "Unrecognized request").count }
            }
            try await eventually("its burst is answered") { try answered() >= 640 }
            let client = try BridgeClient(path: path)
            for number in 1...10 {
                try client.send("?VERSION;\n")
                try await client.awaitText(#""class":"VERSION""#, count: number + 1)
            }
            let (count, seconds) = (try answered(), (clock.now - start) / .seconds(1))
            #expect(Double(count) <= 640 + 64 * (1 + 10 * seconds), "in \(seconds) s")
        }
    }

    // MARK: Connections

    @Test func connectionsOfOneUserAreLimited() async throws {
        try await withServer {
            $0.clientsPerUser = 2
        } _: { _ in
            var clients = try (0..<2).map { _ in try BridgeClient(path: path) }
            for client in clients { try await client.awaitText(#""class":"VERSION""#) }
            let third = try BridgeClient(path: path)
            try await third.awaitText("too many connections; try again when some have closed")
            try await third.awaitEnd()
            clients.removeLast()
            try await eventually("there is room again") {
                let next = try BridgeClient(path: path)
                try next.send("?DEVICES;\n")
                return (try? await next.awaitText(#""class":"DEVICES""#)) != nil
            }
        }
    }

    /// Over TCP the kernel names the same user, whose connections at both have one limit.
    @Test func connectionsAreCountedOverAllListeners() async throws {
        try await withServer {
            $0.clientsPerUser = 2
        } _: { server in
            let port = try #require(server.tcpPort)
            let clients = [try BridgeClient(path: path), try BridgeClient(port: port)]
            for client in clients { try await client.awaitText(#""class":"VERSION""#) }
            for third in [try BridgeClient(path: path), try BridgeClient(port: port)] {
                // It may be closed already.
                try? third.send("?DEVICES;\n")
                let refusal = "too many connections; try again when some have closed"
                try await eventually("it is answered") {
                    try third.readWhatHasCome()
                    return [refusal, "DEVICES"].contains { third.text.contains($0) }
                }
                #expect(third.text.contains(refusal) && !third.text.contains("DEVICES"), "\(third.text)")
            }
        }
    }

    // MARK: Memory and the log

    /// A client's requests wait until the receivers are known: 32 clients with 64 KiB each are what a user may hold.
    @Test(.enabled(if: getuid() == 0, "becoming other users takes root"))
    func userHoldsTwoMebibytesAndOthersAreServed() async throws {
        daemon.receivers = nil
        try await withServer {
            $0.receiversTimeout = 600
        } _: { _ in
            chmod(path, 0o666)
            let hostile = try await BridgeClient.ofAnotherUser(path: path, count: 33)
            let inquiry = try await daemon.conversation(calling: "ListReceivers")
            for client in hostile.dropLast() {
                try client.send(String(repeating: "x", count: 65_536))
                client.endSending()
                try await client.awaitRead()
            }
            let last = try #require(hostile.last)
            try last.send("x")
            last.endSending()
            try await last.awaitHangUp()
            #expect(hostile.dropLast().allSatisfy { !$0.hasHungUp })

            let client = try BridgeClient(path: path)
            try client.send(Self.watch)
            try await daemon.conversation(calling: "ListReceivers").write([#"{"parameters":{"receivers":[]}}"#])
            let watch = try await daemon.conversation(calling: "Watch")
            try watch.reply(FakeDaemon.status())
            try watch.write([FakeDaemon.location(latitude: 41)])
            try await client.awaitText(#""lat":41.0"#)
            withExtendedLifetime(inquiry) {}
        }
    }

    /// One in a minute: who fills the log with warnings hides none about another.
    @Test(.enabled(if: getuid() == 0, "becoming other users takes root"))
    func eachUserIsWarnedOfOnce() async throws {
        let log = RecordedLog()
        func warnings() -> Int { log.lines.count { $0.contains("a user has too many connections") } }
        try await withServer({ $0.clientsPerUser = 1 }, logger: log.logger) { _ in
            chmod(path, 0o666)
            let hostile = try await BridgeClient.ofAnotherUser(path: path, count: 4)
            for client in hostile.dropFirst() { try await client.awaitEnd() }
            #expect(warnings() == 1)
            let own = try (0..<4).map { _ in try BridgeClient(path: path) }
            for client in own.dropFirst() { try await client.awaitEnd() }
            #expect(warnings() == 2)
            withExtendedLifetime((hostile, own)) {}
        }
    }

    // MARK: Lengths

    @Test(arguments: [true, false])
    func reportsOverTCPHaveOneLengthAndThoseAtUnixSocketsTheirOwn(isPadded: Bool) async throws {
        try await withServer { server in
            let client =
                try isPadded ? BridgeClient(port: try #require(server.tcpPort)) : BridgeClient(path: path)
            try client.send(Self.watch)
            let watch = try await daemon.conversation(calling: "Watch")
            try watch.reply(FakeDaemon.status("authorizedAlways"))
            try await client.awaitText(#""class":"WATCH""#)
            var lengths: Set<Int> = []
            for latitude in [1, 41, -75] {
                client.forget()
                try watch.write([FakeDaemon.location(latitude: latitude), FakeDaemon.satellites])
                // The first is the device's.
                try await client.awaitText("\r\n", count: latitude == 1 ? 3 : 2)
                let lines = client.text.split(separator: "\r\n").filter { !$0.contains(#""class":"DEVICE""#) }
                lengths.insert(lines.reduce(0) { $0 + $1.utf8.count + 2 })
            }
            if isPadded { #expect(lengths == [1024 + 1792]) } else { #expect(lengths.count > 1) }
        }
    }
}

extension GPSDServer {
    /// The port at which it listens.
    var tcpPort: UInt16? {
        addresses.lazy.compactMap { $0.split(separator: ":").last.flatMap { UInt16($0) } }.first
    }
}
