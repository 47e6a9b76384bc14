import Foundation
@_spi(Programs) import LocationInterface
import ProgramTestSupport
import Testing
import WebService

/// Long tracks, from a track history that the test plays: they are never in memory as a whole.
@Suite(.timeLimit(.minutes(10)))
struct TrackStreamTests {
    private let folder: TemporaryFolder
    private let history: ScriptedHistory

    init() throws {
        folder = try TemporaryFolder()
        history = try ScriptedHistory(folder("history.sock"))
    }

    private func run(_ body: (WebBench, String) async throws -> Void) async throws {
        var settings = WebSettings.unconnected
        settings.history = history.path
        try await WebBench.run(settings) { try await body($0, try await $0.signIn()) }
    }

    private func askForMap(_ bench: WebBench, _ cookie: String) async throws -> HTTPConnection {
        let connection = try bench.connect()
        try await connection.send(
            bench.text("POST", "/call/\(HistoryInterface.Method.getTrack)", bench.ownHeaders(cookie), body: "{}"))
        return connection
    }

    private struct MapTrack: Decodable {
        let pointCount: Int
        let isThinned: Bool
        let points: [TrackReply.Point]
    }

    private func map(_ reply: HTTPReply) throws -> MapTrack {
        try #require(reply.status == 200, "\(reply.status) \(reply.body.prefix(200))")
        return try JSONDecoder().decode(MapTrack.self, from: Data(reply.body.utf8))
    }

    /// Until the browser reads, the track history waits; then it has all of it.
    @Test func downloadThatIsNotReadIsNotTaken() async throws {
        try await run { bench, cookie in
            let browser = try bench.connect(receiveBuffer: 4096)
            try await browser.send(bench.text("GET", "/track.gpx", [cookie]))
            let call = try await history.next()
            // Many bytes that are decoded soon.
            let name = String(repeating: "x", count: 2000)
            let portion = ScriptedHistory.reply(50, from: 0, isLast: false, source: name)
            var sent = 0
            // Until nothing more is taken for as long as the server would need to take it: it answers other requests
            // meanwhile.
            var quiet = 0
            while quiet < 40 {
                quiet += 1
                while sent < 300, call.send() {
                    (sent, quiet) = (sent + 1, 0)
                    _ = call.send(portion)
                }
                #expect(try await bench.request("GET", "/app.js").status == 200)
                guard sent < 300 else { break }
            }
            #expect(sent < 100, "the server keeps what the browser does not read")
        }
    }

    @Test func wholeTrackIsDownloadedInChunks() async throws {
        try await run { bench, cookie in
            let browser = try bench.connect()
            try await browser.send(bench.text("GET", "/track.gpx", [cookie]))
            let call = try await history.next()
            for number in 0..<20 {
                let portion = ScriptedHistory.reply(500, from: 500 * number, isLast: number == 19)
                var isSent = call.send(portion)
                try await eventually("portion \(number) is taken") {
                    browser.read()
                    if !isSent { isSent = call.send() }
                    return isSent
                }
            }
            let reply = try await browser.reply()
            #expect(reply.status == 200 && reply.header("transfer-encoding") == "chunked")
            #expect(reply.body.components(separatedBy: "<trkpt ").count == 10_001 && reply.body.hasSuffix("</gpx>\n"))
            // The connection goes on.
            try await browser.send(bench.text("GET", "/app.js"))
            #expect(try await browser.reply().status == 200)
        }
    }

    /// An error after the first points, as after a denial, is no track that seems whole.
    @Test func trackThatEndsWithAnErrorHasNoEnd() async throws {
        try await run { bench, cookie in
            let browser = try bench.connect()
            try await browser.send(bench.text("GET", "/track.gpx", [cookie]))
            let call = try await history.next()
            #expect(call.send(ScriptedHistory.reply(10, from: 0, isLast: false)))
            try await eventually("it begins") {
                browser.read()
                return !browser.received.isEmpty
            }
            #expect(call.send(#"{"error":"org.locationd.history.NotAuthorized","parameters":{"reason":"no"}}"# + "\0"))
            try await eventually("it is closed") { browser.isClosed }
            #expect(!String(decoding: browser.received, as: UTF8.self).contains("\r\n0\r\n"))
        }
    }

    @Test func longTrackIsThinnedForTheMap() async throws {
        try await run { bench, cookie in
            let browser = try await askForMap(bench, cookie)
            let call = try await history.next()
            for number in 0..<50 {
                var isSent = call.send(ScriptedHistory.reply(500, from: 500 * number, isLast: number == 49))
                try await eventually("portion \(number) is taken") {
                    if !isSent { isSent = call.send() }
                    return isSent
                }
            }
            let track = try map(try await browser.reply())
            #expect(track.pointCount == 25_000 && track.isThinned && track.points.count <= 10_000)
            #expect(track.points.count > 5000 && track.points.map(\.time) == track.points.map(\.time).sorted())
        }
    }

    /// One track of a user at a time; another user's does not wait for it.
    @Test func tracksOfOneUserAreReadOneAfterTheOther() async throws {
        try await run { bench, cookie in
            let first = try await askForMap(bench, cookie)
            let call = try await history.next()
            let second = try await askForMap(bench, cookie)
            let other = try await askForMap(bench, try await bench.signIn(as: WebBench.administrator))
            let otherCall = try await history.next()
            #expect(otherCall.send(ScriptedHistory.reply(2, from: 0, isLast: true)))
            #expect(try map(try await other.reply()).points.count == 2)
            #expect(history.accept() == nil)
            #expect(call.send(ScriptedHistory.reply(1, from: 0, isLast: true)))
            #expect(try map(try await first.reply()).points.count == 1)
            let next = try await history.next()
            #expect(next.send(ScriptedHistory.reply(3, from: 0, isLast: true)))
            let track = try map(try await second.reply())
            #expect(track.points.count == 3 && track.pointCount == 3 && !track.isThinned)
        }
    }

    /// Whoever leaves during a download ends the call.
    @Test func downloadEndsWithItsBrowser() async throws {
        try await run { bench, cookie in
            var call: ScriptedHistory.Call
            do {
                let browser = try bench.connect()
                try await browser.send(bench.text("GET", "/track.gpx", [cookie]))
                call = try await history.next()
            }
            try await eventually("the call is given up") {
                _ = call.send(ScriptedHistory.reply(100, from: 0, isLast: false))
                return call.isClosed
            }
        }
    }
}
