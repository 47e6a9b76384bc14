import ClientTestSupport
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import Logging
import ProgramTestSupport
import ServiceServer
@_spi(Programs) import SystemSupport
import Testing
import TrackHistory
import Varlink

@testable import locationd_history

/// A track that is read slowly, over a real daemon that changes what its reader may know.
@Suite(.timeLimit(.minutes(10)))
struct TrackRevocationTests {
    private static let points = 6000
    private static let begin = UTCTime(seconds: 1_780_000_000)

    /// A change by the administrator, or of the machine, after which the reader may not read the track.
    enum Change: String, CaseIterable, Sendable {
        case denial, reducedAccuracy, switchOff, endOfTerm, endOfSession, endOfDaemon
    }

    private let folder: TemporaryFolder
    private let daemon: DaemonProcess
    private let file: TrackFile
    private let access: HistoryAccess

    init() async throws {
        folder = try TemporaryFolder()
        daemon = try await DaemonProcess.started("[[sources]]\nkind = \"simulator\"\nrate = 1\n")
        file = try TrackFile(at: folder("track.gpkg"))
        try await file.write((0..<Self.points).map { .add(try Self.point($0)) }, visit: nil)
        access = HistoryAccess(daemon: daemon.control, usersMayPause: false)
    }

    private static func point(_ second: Int) throws -> TrackPoint {
        let coordinate = try #require(Coordinate(latitude: 52 + Double(second) * 1e-5, longitude: 13))
        var location = Location(
            coordinate: coordinate, mode: .twoDimensional, monotonicTime: BootInstant(seconds: Double(second)),
            source: SourceInformation(name: "gpsd"))
        location.timestamp = begin.advanced(bySeconds: Double(second))
        return TrackPoint(location, at: begin)
    }

    /// The service's own server, which believes that a certain user calls.
    private func serve(
        _ uid: UInt32, _ body: (VarlinkConnection) async throws -> Void
    ) async throws {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let server = try await CallServer(
            socket: .bind(path: folder("history.sock"), mode: 0o666, group: nil), limits: CallLimits(),
            answerer: TrackAnswerer(reader: file.reader, recording: nil, access: access), logger: logger,
            user: { _ in uid })
        do {
            try await body(try connect())
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    private func connect() throws -> VarlinkConnection {
        try VarlinkConnection(path: folder("history.sock"), waker: try #require(Waker()), patience: 60)
    }

    private func locctl(_ arguments: String...) async throws {
        let child = try await ChildProcess(
            Products.command, [arguments[0], "--socket", daemon.control] + arguments.dropFirst()
        ).outcome()
        try #require(child.code == 0, "\(arguments) \(child.output)")
    }

    /// The rest of an answer: its points, and why it ends.
    private func readOn(_ connection: VarlinkConnection) async throws -> (points: [TrackReply.Point], reason: String?) {
        var points: [TrackReply.Point] = []
        while true {
            let reply = try await nextReply(connection)
            if let error = reply.error {
                #expect(error == HistoryInterface.Failure.notAuthorized)
                return (points, try reply.parameters(as: HistoryInterface.Reason.self).reason)
            }
            points += try reply.parameters(as: TrackReply.self).points
            if !reply.continues { return (points, nil) }
        }
    }

    /// The next reply, without blocking a thread on which the service's tasks run.
    private func nextReply(_ connection: VarlinkConnection) async throws -> Reply {
        var reply: Reply?
        try await eventually("a reply") {
            reply = try connection.nextReply(seconds: 0)
            return reply != nil
        }
        return try #require(reply)
    }

    private func firstPortion(_ connection: VarlinkConnection) async throws -> [TrackReply.Point] {
        try connection.send(HistoryInterface.Method.getTrack, TrackRequest(), more: true)
        let reply = try await nextReply(connection)
        return try reply.answer(as: TrackReply.self).points
    }

    /// Of 6000 points the reader has one portion, then the change comes, then it reads on: it gets what was sent
    /// before, which is what the kernel holds and the rest of one portion, and the reason.
    @Test(arguments: Change.allCases)
    func answerEndsWithThePermission(_ change: Change) async throws {
        let needsRecords = change == .endOfSession
        // Only root writes login records.
        guard !needsRecords || LoginRecords.areWritable else { return }
        let records = needsRecords ? try LoginRecords() : nil
        try records?.set("active")
        let uid = records?.uid ?? 61_235
        switch change {
        case .endOfTerm: try await locctl("authorize", "uid:\(uid)", "--for", "600s")
        case .endOfSession: try await locctl("authorize", "uid:\(uid)", "--when-in-use")
        default: try await locctl("authorize", "uid:\(uid)")
        }
        try await serve(uid) { connection in
            #expect(try await firstPortion(connection).count == 500)
            #expect(access.readers == [uid])
            let words: String
            switch change {
            case .denial:
                try await locctl("deny", "uid:\(uid)")
                words = "you may not know the position"
            case .reducedAccuracy:
                try await locctl("authorize", "uid:\(uid)", "--reduced")
                words = "roughly only"
            case .switchOff:
                try await locctl("stop")
                words = "locations are switched off"
            case .endOfTerm:
                // Only now, so that a busy machine does not outlast it before the answer begins.
                try await locctl("authorize", "uid:\(uid)", "--for", "3s")
                words = "you may not know the position"
            case .endOfSession:
                try records?.set("online")
                words = "only while you have an active session"
            case .endOfDaemon:
                try await daemon.end()
                words = "it is not known who may know the position"
            }
            // It is ended although its reader does not read.
            try await eventually("the watch ends", within: 30) { access.readers.isEmpty }
            let rest = try await readOn(connection)
            #expect(rest.reason?.contains(words) == true, "\(rest.reason ?? "it is whole")")
            #expect(rest.points.count <= 1000, "\(rest.points.count) points more")
        }
    }

    /// The points that are recorded while an answer is read are no part of it.
    @Test func answerEndsAtTheMomentOfTheCall() async throws {
        let uid: UInt32 = 61_236
        try await locctl("authorize", "uid:\(uid)")
        try await serve(uid) { connection in
            var points = try await firstPortion(connection)
            // As thinning does it: the newest point is left out, and another has its number in the table.
            let last = Self.points - 1
            let changes: [TrackChange] = [
                .removePrevious, .add(try Self.point(last + 1)), .add(try Self.point(last + 2)),
            ]
            try await file.write(changes, visit: nil)
            let rest = try await readOn(connection)
            points += rest.points
            #expect(rest.reason == nil && points.count == last)
            #expect(points.last?.time == Self.begin.advanced(bySeconds: Double(last - 1)))
            // The next call has them.
            var anew = try await firstPortion(connection)
            anew += try await readOn(connection).points
            #expect(anew.count == last + 2)
            try await eventually("nobody is watched") { access.readers.isEmpty }
        }
    }

    /// Several answers to one user need one watch, which ends with the last of them.
    @Test func readersAnswersShareOneWatch() async throws {
        let uid: UInt32 = 61_237
        try await locctl("authorize", "uid:\(uid)")
        try await serve(uid) { connection in
            let others = try (0..<4).map { _ in try connect() }
            for connection in [connection] + others { #expect(try await firstPortion(connection).count == 500) }
            let clients = try daemon.administer(AdminInterface.Method.listClients, as: ClientList.self).clients
            #expect(clients.count { $0.purpose == "track history" && $0.request == "Watch" } == 1, "\(clients)")
            for connection in [connection] + others.dropLast() {
                #expect(try await readOn(connection).points.count == Self.points - 500)
            }
            #expect(access.readers == [uid])
            #expect(try await readOn(others[3]).points.count == Self.points - 500)
            try await eventually("the daemon has no client", details: { daemon.log }) {
                let clients = try daemon.administer(AdminInterface.Method.listClients, as: ClientList.self)
                    .clients
                return !clients.contains { $0.purpose == "track history" }
            }
        }
    }
}
