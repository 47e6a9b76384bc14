import ClientTestSupport
import Foundation
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import Logging
import ProgramTestSupport
import ServiceServer
@_spi(Programs) import SystemSupport
import Testing
import TrackHistory

@testable import locationd_history

/// Who may read and pause a track, and what a pause is, with a real daemon.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct TrackAccessTests {
    private static let stranger: UInt32 = 61_234
    private let folder: TemporaryFolder
    private let daemon: DaemonProcess

    init() throws {
        folder = try TemporaryFolder()
        daemon = try DaemonProcess("[[sources]]\nkind = \"simulator\"\nrate = 10\n")
    }

    /// The service's own server, which believes that a stranger calls.
    private func serve(
        usersMayPause: Bool = false, _ body: (VarlinkConnection) async throws -> Void
    ) async throws {
        let file = try TrackFile(at: folder("track.gpkg"))
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let recording = try TrackRecording(file, .init(), logger: logger)
        let access = HistoryAccess(daemon: daemon.control, usersMayPause: usersMayPause)
        let server = try await CallServer(
            socket: .bind(path: folder("history.sock"), mode: 0o666, group: nil), limits: CallLimits(),
            answerer: TrackAnswerer(reader: file.reader, recording: recording, access: access), logger: logger,
            user: { _ in Self.stranger })
        do {
            let waker = try #require(Waker())
            try await body(try VarlinkConnection(path: folder("history.sock"), waker: waker, patience: 60))
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    /// - Returns: why the call is refused; `nil` if it is not.
    private func refusal(_ connection: VarlinkConnection, _ method: String) throws -> String? {
        do throws(LocationError) {
            if method == HistoryInterface.Method.getTrips {
                _ = try connection.call(method, as: TripsReply.self)
            } else {
                _ = try connection.call(method)
            }
            return nil
        } catch {
            guard case .refused(HistoryInterface.Failure.notAuthorized, let reason) = error else { throw error }
            return reason ?? ""
        }
    }

    @Test func whoMayKnowFullyNowMayRead() async throws {
        let method = HistoryInterface.Method.getTrips
        try await serve { connection in
            #expect(try refusal(connection, method)?.contains("you may not know the position") == true)
            #expect(try daemon.locctl("authorize", "uid:\(Self.stranger)", "--reduced").code == 0)
            #expect(try refusal(connection, method)?.contains("you may know the position roughly only") == true)
            #expect(try daemon.locctl("authorize", "uid:\(Self.stranger)", "--full").code == 0)
            #expect(try refusal(connection, method) == nil)
            #expect(try daemon.locctl("stop").code == 0)
            #expect(try refusal(connection, method)?.contains("locations are switched off") == true)
            #expect(try daemon.locctl("start").code == 0)
            #expect(try refusal(connection, method) == nil)
            // The stranger has no session.
            #expect(try daemon.locctl("authorize", "uid:\(Self.stranger)", "--full", "--when-in-use").code == 0)
            #expect(try refusal(connection, method)?.contains("only while you have an active session") == true)
            #expect(try daemon.locctl("deny", "uid:\(Self.stranger)").code == 0)
            #expect(try refusal(connection, method)?.contains("you may not know the position") == true)
            try daemon.stop()
            #expect(try refusal(connection, method)?.contains("cannot be reached") == true)
        }
    }

    /// A program that serves others has them judged; others may not name anybody.
    @Test func ownerHasOthersJudged() async throws {
        let root = try history()
        let waker = try #require(Waker())
        let owner = try VarlinkConnection(path: folder("history.sock"), waker: waker, patience: 60)
        #expect(try outcome(owner, judged: Self.stranger).contains("you may not know the position"))
        #expect(try daemon.locctl("authorize", "uid:\(Self.stranger)").code == 0)
        #expect(try outcome(owner, judged: Self.stranger) == "0 trips")
        root.signal(SIGTERM)
        #expect(try root.wait() == 0)
        try await serve { connection in
            let outcome = try outcome(connection, judged: Self.stranger)
            #expect(outcome.contains("only administrators may do that"))
        }
    }

    private struct Judged: Encodable { let user: UInt32 }

    private func outcome(_ connection: VarlinkConnection, judged uid: UInt32) throws -> String {
        do {
            let reply = try connection.call(
                HistoryInterface.Method.getTrips, Judged(user: uid), as: TripsReply.self)
            return "\(reply.trips.count { $0.end != nil }) trips"
        } catch {
            return "\(error)"
        }
    }

    @Test func usersPauseIfTheConfigurationSaysSo() async throws {
        #expect(try daemon.locctl("authorize", "uid:\(Self.stranger)").code == 0)
        try await serve { connection in
            let reason = try refusal(connection, HistoryInterface.Method.pause)
            #expect(reason?.contains("only an administrator may pause") == true)
        }
        try await serve(usersMayPause: true) { connection in
            #expect(try refusal(connection, HistoryInterface.Method.pause) == nil)
            let state = try connection.call(HistoryInterface.Method.getState, as: HistoryStateReply.self).state
            #expect(state.pausedSince != nil && state.reason == "recording is paused" && state.maximumError == 5)
            #expect(try refusal(connection, HistoryInterface.Method.resume) == nil)
            #expect(try daemon.locctl("deny", "uid:\(Self.stranger)").code == 0)
            #expect(try refusal(connection, HistoryInterface.Method.pause)?.contains("you may not know") == true)
        }
    }

    private func history() throws -> LoggedProcess {
        let history = try LoggedProcess(
            Products.path(of: "locationd-history"),
            [
                "--config", try folder.write("", to: "history.toml"), "--daemon", daemon.control, "--file",
                folder("track.gpkg"), "--socket", folder("history.sock"), "--include-simulated",
            ])
        try waitUntil("it serves", details: { history.errors }) { history.errors.contains("recording file=") }
        return history
    }

    private func locctl(_ arguments: String...) throws -> String {
        let child = try LoggedProcess(Products.command, arguments + ["--history-socket", folder("history.sock")])
        #expect(try child.wait(within: 60) == 0, "\(arguments) \(child.errors)")
        return child.output
    }

    private func points() throws -> [TrackReply.Point] {
        try locctl("track", "--include-simulated", "--json").split(separator: "\n").flatMap { line in
            try JSONDecoder().decode(TrackReply.self, from: Data(line.utf8)).points
        }
    }

    @Test func pauseIsKeptOverARestartAndTurnsTheReceiverOff() throws {
        var history = try history()
        try waitUntil("a location is recorded", details: { history.errors }) { try points().count > 1 }
        #expect(try locctl("track", "status").hasPrefix("recording\n"))
        #expect(try locctl("track", "status", "--json").hasPrefix(#"{"state":{"#))
        #expect(try locctl("track", "pause") == "nothing is recorded from now on\n")
        let before = try points()
        try waitUntil("nobody needs the receiver") { try daemon.status().source == .stopped }
        #expect(try locctl("track", "status").hasPrefix("paused since "))
        history.signal(SIGTERM)
        #expect(try history.wait() == 0)
        history = try self.history()
        #expect(try locctl("track", "status").hasPrefix("paused since "))
        #expect(try points() == before)
        #expect(try locctl("track", "resume") == "the track is recorded again\n")
        try waitUntil("it goes on", details: { history.errors }) { try points().count > before.count + 1 }
        let after = try points()
        #expect(Array(after.prefix(before.count)) == before)
        #expect(after[before.count].afterGap == true, "there is no line over the pause")
        #expect(after.filter { $0.afterGap == true }.count == 1)
        history.signal(SIGTERM)
        #expect(try history.wait() == 0)
        #expect(!FileManager.default.fileExists(atPath: folder("history.sock")))
    }
}
