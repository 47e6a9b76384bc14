@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Logging
import ProgramTestSupport
import Testing
import TrackHistory
import Varlink

@testable import ServiceServer
@testable import locationd_history

/// Who may read a track, by what a daemon says of them that has one answer to everything.
@Suite(.timeLimit(.minutes(10))) struct HistoryAccessTests {
    private static let stranger: UInt32 = 61_238

    /// What the daemon says.
    struct Case: Sendable, CustomTestStringConvertible {
        var authorization = AuthorizationStatus.authorizedAlways
        var accuracy = AccuracyAuthorization.full
        var enabled = true
        /// The error of a passive request.
        var error = LocationInterface.Failure.locationUnavailable
        /// Why the track may not be read; `nil` if it may.
        let reason: String?

        var testDescription: String { "\(authorization) \(accuracy) \(enabled ? "on" : "off") \(error)" }
    }

    private struct Daemon: CallAnswerer {
        let answer: Case
        let description = ServiceDescription(
            vendor: "test", product: "test", version: "1", url: "", interfaces: [LocationInterface.description])
        let interface = LocationInterface.name

        func request(_ call: Call) throws(ErrorReply) -> String { call.method }

        func answer(
            _ method: String, for uid: UInt32, _ replies: CallReplies
        ) async throws(ErrorReply) -> any Encodable & Sendable {
            guard method == LocationInterface.Method.getStatus else {
                throw ErrorReply(answer.error, parameters: ["reason": "the test"])
            }
            return StatusReply(
                status: ServiceStatus(
                    authorization: answer.authorization, accuracy: answer.accuracy, enabled: answer.enabled,
                    source: SourceStatus(state: .tracking)))
        }
    }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ answer: Case, _ body: (HistoryAccess) async throws -> Void) async throws {
        let path = folder("control.sock")
        let server = try await CallServer(
            socket: .bind(path: path, mode: 0o666, group: nil), limits: CallLimits(), answerer: Daemon(answer: answer),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        do {
            try await body(HistoryAccess(daemon: path, usersMayPause: true))
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    /// - Returns: why it is refused; `nil` if it is not.
    private func refusal(_ body: () async throws(ErrorReply) -> Void) async -> String? {
        do throws(ErrorReply) {
            try await body()
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test(arguments: [
        Case(reason: nil),
        Case(accuracy: .reduced, reason: "roughly only"),
        Case(authorization: .denied, reason: "you may not know the position"),
        Case(authorization: .restricted, reason: "you may not know the position"),
        Case(authorization: .notDetermined, reason: "you may not know the position"),
        Case(enabled: false, reason: "locations are switched off"),
        Case(authorization: .authorizedWhenInUse, reason: nil),
        Case(authorization: .authorizedWhenInUse, error: LocationInterface.Failure.timedOut, reason: nil),
        Case(
            authorization: .authorizedWhenInUse, error: LocationInterface.Failure.notAuthorized,
            reason: "only while you have an active session"),
        Case(authorization: .authorizedWhenInUse, accuracy: .reduced, reason: "roughly only"),
    ])
    func whoMayKnowFullyNowMayReadAndPause(_ answer: Case) async throws {
        try await run(answer) { access in
            for refusal in [
                await refusal { () async throws(ErrorReply) -> Void in try await access.requireReading(Self.stranger) },
                await refusal { () async throws(ErrorReply) -> Void in try await access.requirePausing(Self.stranger) },
            ] {
                #expect((refusal == nil) == (answer.reason == nil), "\(refusal ?? "allowed")")
                if let reason = answer.reason { #expect(refusal?.contains(reason) == true, "\(refusal ?? "allowed")") }
            }
            #expect(await refusal { () async throws(ErrorReply) -> Void in try await access.requireReading(0) } == nil)
        }
    }

    /// Who is not trusted may not even name itself, whatever it asks; who is trusted is judged as the user whom it
    /// names.
    @Test func onlyTheTrustedHaveOthersJudged() async throws {
        try await run(Case(authorization: .denied, reason: nil)) { access in
            let file = try TrackFile(at: folder("track.gpkg"))
            var answerer = TrackAnswerer(reader: file.reader, recording: nil, access: access)
            let replies = CallReplies { _ throws(CancellationError) in }
            let questions: [TrackAnswerer.Question] = [
                .state, .trips(TrackPeriod()), .stays(TrackPeriod()), .track(TrackRequest()), .pause(true),
            ]
            for question in questions {
                let judged = TrackAnswerer.Request(question: question, user: Self.stranger)
                for trusted: TrustedCallers? in [nil, TrustedCallers([0, 61_240])] {
                    answerer.trustedCallers = trusted
                    let answerer = answerer
                    for uid in [61_239, Self.stranger] {
                        let error = await refusal { () async throws(ErrorReply) -> Void in
                            _ = try await answerer.answer(judged, for: uid, replies)
                        }
                        #expect(error?.contains(".PermissionDenied") == true, "\(uid): \(error ?? "answered")")
                    }
                }
                let answerer = answerer
                let error = await refusal { () async throws(ErrorReply) -> Void in
                    _ = try await answerer.answer(judged, for: 61_240, replies)
                }
                #expect(error?.contains("you may not know the position") == true, "\(error ?? "answered")")
            }
        }
    }
}
