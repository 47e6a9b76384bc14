import ClientTestSupport
import Foundation
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ProgramTestSupport
@_spi(Programs) import SystemSupport
import Testing
import TrackHistory
import WebService

/// The track, by a real locationd-history over a file with more points than one of its replies has.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct TrackDownloadTests {
    private static let count = 1234
    private let folder: TemporaryFolder
    /// Three hours ago.
    private let begin = UTCTime(seconds: MachineClock.utc.seconds - 10_800, nanoseconds: 0)

    init() throws { folder = try TemporaryFolder() }

    /// A drive to the north, a location a second, of which each is kept.
    private func writeTrack() async throws {
        let file = try TrackFile(at: folder("track.gpkg"))
        var settings = TrackRecorder.Settings()
        settings.thinning.maximumError = 0
        settings.thinning.interval = 1
        var recorder = TrackRecorder(settings, after: try file.memory())
        var changes: [TrackChange] = []
        for second in 0..<Self.count {
            let latitude = 48 + 0.0002 * Double(second)
            var location = Location(
                coordinate: try #require(Coordinate(latitude: latitude, longitude: 9)), mode: .threeDimensional,
                monotonicTime: BootInstant(seconds: 1000 + Double(second)), source: SourceInformation(name: "gpsd"))
            location.timestamp = begin.advanced(bySeconds: Double(second))
            (location.horizontalAccuracy, location.speed) = (3, 22)
            changes += recorder.add(location, at: begin.advanced(bySeconds: Double(second)))
        }
        try await file.write(changes, visit: recorder.visitMemory)
    }

    private func run(_ body: (WebBench, DaemonProcess) async throws -> Void) async throws {
        try await writeTrack()
        let socket = folder("history.sock")
        try await WebBench.run(daemon: "", { $0.history = socket }) { bench, daemon in
            let history = try LoggedProcess(
                Products.path(of: "locationd-history"),
                [
                    "--config", try folder.write("[track]\npassive = true\n", to: "history.toml"), "--daemon",
                    daemon.control,
                    "--file", folder("track.gpkg"), "--socket", socket,
                ])
            try await eventually("it serves", details: { history.errors }) {
                history.errors.contains("recording file=")
            }
            try await body(bench, daemon)
        }
    }

    private func points(_ reply: HTTPReply) throws -> [TrackReply.Point] {
        try #require(reply.status == 200, "\(reply)")
        return try JSONDecoder().decode(TrackReply.self, from: Data(reply.body.utf8)).points
    }

    @Test func trackIsOneAnswer() async throws {
        try await run { bench, daemon in
            let root = try await bench.signIn(as: WebBench.administrator)
            let all = try points(await bench.call(HistoryInterface.Method.getTrack, "{}", root))
            #expect(all.count >= Self.count - 1 && all.count > 1000, "\(all.count)")
            #expect(all.map(\.time) == all.map(\.time).sorted() && Set(all.map(\.time)).count == all.count)
            let from = begin.advanced(bySeconds: 100)
            let some = try points(
                await bench.call(HistoryInterface.Method.getTrack, #"{"from":"\#(from)"}"#, root))
            #expect(some == all.filter { $0.time >= from } && some.count < all.count)
            // Not by the one who asks for it, but for whom.
            let user = try await bench.signIn()
            for body in ["{}", #"{"user":0}"#, #"{"user":null}"#] {
                for method in [
                    HistoryInterface.Method.getTrack, HistoryInterface.Method.getTrips,
                    HistoryInterface.Method.getStays,
                ] {
                    let refused = try await bench.call(method, body, user)
                    #expect(
                        refused.status == 403 && refused.body.contains("you may not know the position"),
                        "\(method) \(refused)")
                }
            }
            #expect(try await bench.request("GET", "/track.gpx", [user]).status == 403)
            #expect(try await bench.call(HistoryInterface.Method.pause, "{}", user).status == 403)
            try await daemon.decide(.authorizedAlways)
            #expect(try points(await bench.call(HistoryInterface.Method.getTrack, "{}", user)) == all)
            let unknown = try await bench.call(HistoryInterface.Method.getTrack, #"{"trip":999}"#, root)
            #expect(unknown.status == 422 && unknown.body.contains("NoSuchTrip"))
        }
    }

    @Test func trackIsAFileThatOthersRead() async throws {
        try await run { bench, _ in
            let root = try await bench.signIn(as: WebBench.administrator)
            let all = try points(await bench.call(HistoryInterface.Method.getTrack, "{}", root))
            let reply = try await bench.request("GET", "/track.gpx", [root])
            #expect(reply.status == 200 && reply.header("content-type") == "application/gpx+xml")
            #expect(reply.header("content-disposition") == "attachment; filename=\"track.gpx\"")
            let document = try XMLCount.elements(of: reply.body)
            #expect(document["trkpt"] == all.count && document["gpx"] == 1 && document["trkseg"] == 1, "\(document)")
            let from = begin.advanced(bySeconds: 100)
            let to = begin.advanced(bySeconds: 199)
            let part = try await bench.request(
                "GET", "/track.gpx?from=\("\(from)".replacing(":", with: "%3A"))&to=\(to)", [root])
            #expect(try XMLCount.elements(of: part.body)["trkpt"] == all.count { $0.time >= from && $0.time <= to })
            // A track without a point is a file, too.
            let none = try await bench.request("GET", "/track.gpx?to=2020-01-01T00:00:00Z", [root])
            #expect(none.status == 200)
            #expect(try XMLCount.elements(of: none.body)["trkpt"] == nil)
            for query in [
                "trip=one", "trip=", "trip=1.5", "from=yesterday", "to=", "from=2026-13-01T00:00:00Z",
                "trip=99999999999999999999",
            ] {
                #expect(try await bench.request("GET", "/track.gpx?\(query)", [root]).status == 400, "\(query)")
            }
            #expect(try await bench.request("GET", "/track.gpx?trip=999", [root]).status == 422)
        }
    }
}

/// How often each element is in a document.
private enum XMLCount {
    /// Read by Python's parser, which is not ours.
    static func elements(of text: String) throws -> [String: Int] {
        let folder = try TemporaryFolder()
        let script = """
            import collections, json, sys, xml.etree.ElementTree as tree
            print(json.dumps(collections.Counter(e.tag.split("}")[1] for e in tree.parse(sys.argv[1]).iter())))
            """
        let command = AssistantProcess.python(script, [try folder.write(text, to: "track.gpx")])
        let reader = try LoggedProcess(command[0], Array(command.dropFirst()))
        guard try reader.wait() == 0 else { throw Failure("no XML: \(reader.errors)") }
        return try JSONDecoder().decode([String: Int].self, from: Data(reader.output.utf8))
    }
}
