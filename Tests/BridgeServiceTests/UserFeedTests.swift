import GPSDBridge
import Logging
import ServedPrograms
import TestSupport
import Testing

/// What a client is sent for what the daemon replies.
@Suite(.timeLimit(.minutes(2)))
struct UserFeedTests {
    private let folder: TemporaryFolder
    private let daemon: FakeDaemon

    init() throws {
        folder = try TemporaryFolder()
        daemon = try FakeDaemon(in: folder)
    }

    /// A client that watches, over a server of its own.
    private final class Client {
        private let socket: UnixSocket
        private(set) var text = ""

        init(path: String) throws {
            socket = try UnixSocket(path: path)
            try socket.write(Array(#"?WATCH={"enable":true,"json":true};"#.utf8))
        }

        func awaitText(_ words: String, count: Int = 1) async throws {
            try await eventually("the client reads \(words)", details: { text }) {
                text += String(decoding: try socket.read(forMilliseconds: 0) ?? [], as: UTF8.self)
                return text.occurrences(of: words) >= count
            }
        }
    }

    private func withClient(_ body: (Client) async throws -> Void) async throws {
        let path = folder("gpsd.sock")
        let listener = try UnixAddress.listener(at: path)
        let server = try await GPSDServer(
            [.inherited(listener)], daemon: daemon.path, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        do { try await body(Client(path: path)) } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    @Test func authorizationIsRequestedOnceForEachWatch() async throws {
        try await withClient { client in
            for _ in 0..<2 {
                let watch = try await daemon.conversation(calling: "Watch")
                try watch.reply(FakeDaemon.status("notDetermined"))
                let request = try await daemon.conversation(calling: "RequestAuthorization")
                // It does not request again, whatever the watch says.
                try watch.reply(FakeDaemon.status("notDetermined"))
                try await client.awaitText("there is no decision yet")
                try request.reply(FakeDaemon.status("notDetermined"), continues: false)
                try await request.awaitEnd()
                // A daemon that is started anew has forgotten the request.
                try watch.reply(FakeDaemon.status("notDetermined"), continues: false)
                try await watch.awaitEnd()
            }
        }
    }

    @Test func requestThatFailsAfterTheDecisionIsNotReported() async throws {
        try await withClient { client in
            let watch = try await daemon.conversation(calling: "Watch")
            try watch.reply(FakeDaemon.status("notDetermined"))
            let request = try await daemon.conversation(calling: "RequestAuthorization")
            try watch.reply(FakeDaemon.status("authorizedAlways"))
            try watch.write([FakeDaemon.location(latitude: 41)])
            try await client.awaitText(#""lat":41.0"#)
            try request.write([#"{"error":"org.locationd.location.Failed","parameters":{"reason":"too late"}}"#])
            try await request.awaitEnd()
            try watch.write([FakeDaemon.location(latitude: 42)])
            try await client.awaitText(#""lat":42.0"#)
            #expect(!client.text.contains("ERROR") && !client.text.contains(#""mode":0"#), "\(client.text)")
        }
    }

    @Test func requestThatFailsIsReported() async throws {
        try await withClient { client in
            let watch = try await daemon.conversation(calling: "Watch")
            try watch.reply(FakeDaemon.status("notDetermined"))
            let request = try await daemon.conversation(calling: "RequestAuthorization")
            try request.write([#"{"error":"org.locationd.location.Failed","parameters":{"reason":"full"}}"#])
            try await client.awaitText("there is no decision yet")
            try await client.awaitText(#""mode":0"#)
        }
    }

    @Test func everyReportIsSentHoweverManyComeTogether() async throws {
        try await withClient { client in
            let watch = try await daemon.conversation(calling: "Watch")
            try watch.reply(FakeDaemon.status("authorizedAlways"))
            let count = 200
            try watch.write((0..<count).flatMap { _ in [FakeDaemon.location(latitude: 41), FakeDaemon.satellites] })
            try await client.awaitText("SKY", count: count)
            #expect(client.text.occurrences(of: "TPV") == count)
            let first = try #require(client.text.firstRange(of: "TPV")), sky = client.text.firstRange(of: "SKY")
            #expect(try first.lowerBound < #require(sky).lowerBound)
        }
    }
}

extension String {
    /// How often it contains these words.
    fileprivate func occurrences(of words: String) -> Int { ranges(of: words).count }
}
