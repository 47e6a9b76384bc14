import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ServiceServer
@_spi(Programs) import SystemSupport
import Varlink

/// Who may read the track, and who may pause it.
///
/// The track's owner and root always may: they can read the file. Of all others the daemon says whether they may know
/// the position fully, now; and at each change, for as long as an answer in portions is being sent.
struct HistoryAccess: Sendable {
    /// The daemon's control socket; `nil` if only the owner is served.
    let daemon: String?
    /// Whether those who may read may also pause.
    let usersMayPause: Bool
    var owner = geteuid()
    private let watches = ReaderWatches()

    init(daemon: String?, usersMayPause: Bool) {
        (self.daemon, self.usersMayPause) = (daemon, usersMayPause)
    }

    /// The users to whom long answers are being sent.
    var readers: Set<UInt32> { watches.users }

    func isOwner(_ uid: UInt32) -> Bool { uid == 0 || uid == owner }

    /// - Throws: why the user may not read the track.
    func requireReading(_ uid: UInt32) async throws(ErrorReply) {
        guard !isOwner(uid) else { return }
        guard let daemon else { throw Self.ownersAlone }
        let program = ServedProgram(uid: uid, label: "track history")
        let answer: Reply
        do throws(DaemonCall.Failure) {
            answer = try await DaemonCall.reply(
                to: LocationInterface.Method.getStatus, NoParameters(), for: program, at: daemon)
        } catch {
            throw Self.unknown("\(error)")
        }
        guard answer.error == nil, let status = try? answer.parameters(as: StatusReply.self).status else {
            throw .notAuthorized(
                "locationd lets locationd-history not ask for others: \(answer.error ?? "it does not say")")
        }
        try await requireReading(.init(status), program, at: daemon)
    }

    private static let ownersAlone = ErrorReply.notAuthorized("this track is its owner's alone")

    private static func unknown(_ reason: String) -> ErrorReply {
        .notAuthorized("it is not known who may know the position: \(reason)")
    }

    private func requireReading(
        _ permission: ReaderWatch.Permission, _ program: ServedProgram, at daemon: String
    ) async throws(ErrorReply) {
        guard permission.enabled else {
            throw .notAuthorized("locations are switched off; an administrator can run `sudo locctl start`")
        }
        guard permission.authorization == .authorizedAlways || permission.authorization == .authorizedWhenInUse else {
            throw .notAuthorized("you may not know the position; `locctl request-authorization --full` asks for it")
        }
        guard permission.accuracy == .full else {
            throw .notAuthorized(
                "you may know the position roughly only; `locctl request-authorization --full` asks for more")
        }
        guard permission.authorization == .authorizedWhenInUse else { return }
        try await requireUse(program, at: daemon)
    }

    /// Sends an answer in portions for as long as the user may read the track.
    ///
    /// - Parameter body: sends it, with a permit that each portion waits for; it is cancelled when the user may not
    ///   read any more.
    /// - Throws: why the user may not read the track, or what `body` throws.
    func whileReadable(
        by uid: UInt32, _ body: @escaping @Sendable (ReadingPermit) async -> Result<TrackReply, ErrorReply>
    ) async throws(ErrorReply) -> TrackReply {
        guard !isOwner(uid) else { return try await body(ReadingPermit(nil)).get() }
        guard let daemon else { throw Self.ownersAlone }
        // The watch may be older, with the groups that the user had when it began: a call is judged by those of now.
        try await requireReading(uid)
        let watch = watches.beginWatch(of: uid, at: daemon)
        defer { watches.endWatch(of: uid) }
        let permit = ReadingPermit(watch)
        // Whatever ends first: the answer, or the permission.
        let outcome = await withTaskGroup(of: Result<TrackReply, ErrorReply>.self) { group in
            group.addTask { await body(permit) }
            group.addTask { .failure(await refusal(of: uid, watch, permit, at: daemon)) }
            let first = await group.next()
            group.cancelAll()
            return first
        }
        return try (outcome ?? .failure(Self.unknown("the call has ended"))).get()
    }

    /// Judges the user at each change, until the user may not read, or the task is cancelled.
    private func refusal(
        of uid: UInt32, _ watch: ReaderWatch, _ permit: ReadingPermit, at daemon: String
    ) async -> ErrorReply {
        let program = ServedProgram(uid: uid, label: "track history")
        var seen = 0
        while !Task.isCancelled {
            _ = await watch.standing.change(after: seen)
            let (standing, version) = watch.standing.current
            seen = version
            switch standing {
            case .unknown: break
            case .outage(let reason): return Self.unknown(reason)
            case .known(let permission):
                do throws(ErrorReply) {
                    try await requireReading(permission, program, at: daemon)
                    permit.allow(version)
                } catch {
                    return error
                }
            }
        }
        return Self.unknown("the call has ended")
    }

    /// Someone who is authorized while in use may not know the position at any time: a passive request, which starts no
    /// receiver, is refused then.
    private func requireUse(_ program: ServedProgram, at daemon: String) async throws(ErrorReply) {
        var request = LocationRequest(maximumAge: 86_400, timeout: 0)
        request.passive = true
        let answer = try? await DaemonCall.reply(
            to: LocationInterface.Method.getLocation, request, for: program, at: daemon)
        let open = [LocationInterface.Failure.locationUnavailable, LocationInterface.Failure.timedOut]
        guard let answer, answer.error.map(open.contains) ?? true else {
            throw .notAuthorized("you may know the position only while you have an active session on this machine")
        }
    }

    /// - Throws: why the user may not pause the recording.
    func requirePausing(_ uid: UInt32) async throws(ErrorReply) {
        guard !isOwner(uid) else { return }
        guard usersMayPause else {
            throw .notAuthorized(
                "only an administrator may pause the recording; users-may-pause in history.toml lets users decide")
        }
        try await requireReading(uid)
    }
}

extension ErrorReply {
    static func notAuthorized(_ reason: String) -> Self {
        Self(HistoryInterface.Failure.notAuthorized, parameters: HistoryInterface.Reason(reason: reason))
    }

    static func fileUnusable(_ reason: String) -> Self {
        Self(HistoryInterface.Failure.fileUnusable, parameters: HistoryInterface.Reason(reason: reason))
    }
}
