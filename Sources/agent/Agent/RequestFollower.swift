@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationSession
@_spi(Programs) import SystemSupport
import Varlink

/// Follows the user's requests at the daemon, and decides about them, each time on a thread of its own.
///
/// While nothing changes both sides wait, without a timer.
struct RequestFollower: Sendable {
    /// What has come from the daemon.
    enum Event: Sendable {
        /// `nil` while it is not reached.
        case requests(RequestsReply?)
        case outcome(QuestionDesk.Outcome)
    }

    /// Seconds that a decision may take: a person authenticates.
    private static let decisionTimeout = 140.0

    let path: String
    let deliver: @Sendable (Event) -> Void

    /// - Returns: what ends it when it is closed; `nil` if the system has no thread or descriptor left.
    func start() -> LastingCall<RequestsReply>? {
        LastingCall(LocationInterface.Method.watchRequests, NoParameters(), at: path) { event in
            switch event {
            case .answer(let requests): deliver(.requests(requests))
            case .failed(_, let isFirst): if isFirst { deliver(.requests(nil)) }
            }
        }
    }

    /// Brings a decision to the daemon, which asks polkit; ``Event/outcome(_:)`` follows.
    func decide(_ parameters: DecideParameters) {
        let isStarted = DetachedThread.start(named: "decision") { deliver(.outcome(outcome(of: parameters))) }
        if !isStarted { deliver(.outcome(.refused("no thread is left"))) }
    }

    private func outcome(of parameters: DecideParameters) -> QuestionDesk.Outcome {
        guard let waker = Waker() else { return .refused("no descriptor is left") }
        do throws(LocationError) {
            let connection = try VarlinkConnection(path: path, waker: waker, patience: Self.decisionTimeout)
            _ = try connection.call(LocationInterface.Method.decide, parameters, as: StatusReply.self)
            return .decided
        } catch .refused(LocationInterface.Failure.noSuchRequest, _) {
            return .outdated
        } catch .tooManyAuthorizations {
            return .busy
        } catch .refused(_, let reason?) {
            return .refused(reason)
        } catch {
            return .refused("\(error)")
        }
    }
}
