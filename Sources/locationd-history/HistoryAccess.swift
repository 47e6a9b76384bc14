import Glibc
import HistoryInterface
import LocationInterface
import LocationModel
import ServedPrograms
import Varlink

/// Who may read the track, and who may pause it.
///
/// The track's owner and root always may: they can read the file. Of all others the daemon says whether they may know the position
/// fully, now.
struct HistoryAccess: Sendable {
    /// The daemon's control socket; `nil` if only the owner is served.
    let daemon: String?
    /// Whether those who may read may also pause.
    let usersMayPause: Bool
    var owner = geteuid()

    func isOwner(_ uid: UInt32) -> Bool { uid == 0 || uid == owner }

    /// - Throws: why the user may not read the track.
    func requireReading(_ uid: UInt32) async throws(ErrorReply) {
        guard !isOwner(uid) else { return }
        guard let daemon else { throw .notAuthorized("this track is its owner's alone") }
        let program = ServedProgram(uid: uid, label: "track history")
        let answer: Reply
        do throws(DaemonCall.Failure) {
            answer = try await DaemonCall.reply(
                to: LocationInterface.Method.getStatus, NoParameters(), for: program, at: daemon)
        } catch {
            throw .notAuthorized("it is not known who may know the position: \(error)")
        }
        guard answer.error == nil, let status = try? answer.parameters(as: StatusReply.self).status else {
            throw .notAuthorized(
                "locationd lets locationd-history not ask for others: \(answer.error ?? "it does not say")")
        }
        guard status.enabled else {
            throw .notAuthorized("locations are switched off; an administrator can run `sudo locctl start`")
        }
        guard status.authorization == .authorizedAlways || status.authorization == .authorizedWhenInUse else {
            throw .notAuthorized("you may not know the position; `locctl request-authorization --full` asks for it")
        }
        guard status.accuracy == .full else {
            throw .notAuthorized(
                "you may know the position roughly only; `locctl request-authorization --full` asks for more")
        }
        guard status.authorization == .authorizedWhenInUse else { return }
        try await requireUse(program, at: daemon)
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
