@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import SystemSupport
import Varlink

/// Follows the user's requests at the daemon, on a thread of its own, and decides about them, each time on another.
///
/// While nothing changes both sides wait, without a timer.
struct RequestFollower: Sendable {
    /// What has come from the daemon.
    enum Event: Sendable {
        /// `nil` while it is not reached.
        case requests(RequestsReply?)
        case outcome(QuestionDesk.Outcome)
    }

    /// The least seconds between two attempts to connect, which double up to the most.
    private static let (shortestWait, longestWait) = (1.0, 60.0)
    /// Seconds that a decision may take: a person authenticates.
    private static let decisionTimeout = 140.0

    let path: String
    let deliver: @Sendable (Event) -> Void

    /// - Returns: what ends it when woken; `nil` if the system has no thread or descriptor left.
    func start() -> Waker? {
        guard let waker = Waker() else { return nil }
        return DetachedThread.start(named: "requests", { follow(until: waker) }) ? waker : nil
    }

    private func follow(until waker: Waker) {
        var wait = Self.shortestWait
        while !waker.isWoken {
            do throws(LocationError) {
                let connection = try VarlinkConnection(path: path, waker: waker)
                try connection.send(LocationInterface.Method.watchRequests, NoParameters(), more: true)
                while let reply = try connection.nextReply() {
                    let requests = try reply.answer(as: RequestsReply.self)
                    wait = Self.shortestWait
                    guard reply.continues else { break }
                    deliver(.requests(requests))
                }
            } catch {
                // It may be stopped, restarted, or not installed yet.
            }
            deliver(.requests(nil))
            _ = waker.wait(for: -1, events: 0, seconds: wait)
            wait = min(wait * 2, Self.longestWait)
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
