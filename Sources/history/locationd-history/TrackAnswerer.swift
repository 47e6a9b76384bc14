@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ServiceServer
@_spi(Programs) import SystemSupport
import TrackHistory
import Varlink

/// Answers the calls of `org.locationd.history`.
struct TrackAnswerer: CallAnswerer {
    struct Request: Sendable {
        let question: Question
        /// The user who is judged in place of the caller; `nil` for the caller.
        let user: UInt32?
    }

    enum Question: Sendable {
        case state
        case trips(TrackPeriod)
        case stays(TrackPeriod)
        case track(TrackRequest)
        case pause(Bool)
    }

    /// Points of one reply.
    private static let portion = 500
    /// Seconds of reading after which the reader is judged again before the answer is sent.
    private static let judgedAnew = 0.1

    let reader: TrackReader
    /// The recording of this file; `nil` if it is read alone.
    let recording: TrackRecording?
    let access: HistoryAccess
    var trustedCallers: TrustedCallers? = .ofThisMachine

    let description = ServiceDescription(
        vendor: "locationd", product: "locationd-history", version: Release.version, url: "man:locationd-history(8)",
        interfaces: [HistoryInterface.description])
    let interface = HistoryInterface.name

    /// Beside the parameters of each method.
    private struct JudgedUser: Decodable { let user: UInt32? }

    func request(_ call: Call) throws(ErrorReply) -> Request {
        Request(question: try Self.question(call), user: try call.parameters(as: JudgedUser.self).user)
    }

    private static func question(_ call: Call) throws(ErrorReply) -> Question {
        switch call.method {
        case HistoryInterface.Method.getState: return .state
        case HistoryInterface.Method.getTrips: return .trips(try checked(call.parameters()))
        case HistoryInterface.Method.getStays: return .stays(try checked(call.parameters()))
        case HistoryInterface.Method.getTrack:
            guard call.more else { throw .expectedMore }
            let request = try call.parameters(as: TrackRequest.self)
            _ = try checked(TrackPeriod(from: request.from, to: request.to))
            return .track(request)
        case HistoryInterface.Method.pause: return .pause(true)
        case HistoryInterface.Method.resume: return .pause(false)
        default: throw .methodNotFound(call.method)
        }
    }

    private static func checked(_ period: TrackPeriod) throws(ErrorReply) -> TrackPeriod {
        if let from = period.from, let to = period.to, from > to {
            throw .invalidParameter("from", reason: "it is after `to`")
        }
        return period
    }

    func answer(
        _ request: Request, for uid: UInt32, _ replies: CallReplies
    ) async throws(ErrorReply) -> any Encodable & Sendable {
        if request.user != nil, trustedCallers?.contains(uid) != true { throw .permissionDenied }
        let (uid, request) = (request.user ?? uid, request.question)
        if case .pause(let isPaused) = request {
            try await access.requirePausing(uid)
            return try await setPaused(isPaused)
        }
        if case .track(let track) = request {
            return try await access.whileReadable(by: uid) { await send(track, replies, $0) }
        }
        try await access.requireReading(uid)
        let begin = MachineClock.now
        let answer = try await read(request)
        // A disk that takes long must not turn a permission of then into an answer of now.
        if MachineClock.now.seconds(since: begin) > Self.judgedAnew { try await access.requireReading(uid) }
        return answer
    }

    private func read(_ request: Question) async throws(ErrorReply) -> any Encodable & Sendable {
        do throws(TrackFileError) {
            switch request {
            case .state: return HistoryStateReply(state: try await state())
            case .trips(let period): return TripsReply(trips: try reader.trips(from: period.from, to: period.to))
            case .stays(let period): return StaysReply(stays: try reader.stays(from: period.from, to: period.to))
            case .track, .pause: return NoParameters()
            }
        } catch {
            throw .fileUnusable(error.description)
        }
    }

    private func setPaused(_ isPaused: Bool) async throws(ErrorReply) -> NoParameters {
        guard let recording else { throw .fileUnusable("nothing is recorded: this file is only read") }
        do throws(TrackFileError) {
            if isPaused { try await recording.pause() } else { try await recording.resume() }
        } catch {
            throw .fileUnusable(error.description)
        }
        return NoParameters()
    }

    private func state() async throws(TrackFileError) -> HistoryState {
        var state = HistoryState(file: reader.path, bytes: reader.size, maximumError: recording?.maximumError ?? 0)
        if let span = try reader.span() { (state.first, state.last) = (span.first, span.last) }
        state.pausedSince = try reader.pausedSince()
        if let recording { state.reason = await recording.obstacle } else { state.reason = "this file is only read" }
        return state
    }

    /// Sends all points but the last ones, which are the answer. Nothing that is recorded after the call is part of it,
    /// however long its reader takes.
    private func send(
        _ request: TrackRequest, _ replies: CallReplies, _ permit: ReadingPermit
    ) async -> Result<TrackReply, ErrorReply> {
        var selection = TrackReader.Selection()
        (selection.from, selection.to) = (request.from, request.to)
        selection.includesSimulated = request.includeSimulated ?? false
        do {
            try await permit.wait()
            guard let end = try reader.end() else { return .success(TrackReply([])) }
            selection.end = end
            if let number = request.trip {
                guard let trip = try reader.trip(number) else {
                    throw ErrorReply(
                        HistoryInterface.Failure.noSuchTrip, parameters: HistoryInterface.Number(number: number))
                }
                selection.trip = trip
            }
            var page = try reader.points(selection, limit: Self.portion)
            while let next = page.next {
                try await permit.wait()
                try await replies.send(TrackReply(page.points))
                page = try reader.points(selection, after: next, limit: Self.portion)
            }
            try await permit.wait()
            return .success(TrackReply(page.points))
        } catch let error as TrackFileError {
            return .failure(.fileUnusable(error.description))
        } catch {
            return .failure(error as? ErrorReply ?? cancelled)
        }
    }

}

extension TrackReply {
    fileprivate init(_ points: [TrackPoint]) {
        self.init(points: points.map { Point($0.location, time: $0.time, isAfterGap: $0.isAfterGap) })
    }
}
