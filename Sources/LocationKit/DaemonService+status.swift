import LocationInterface
package import LocationModel
import Machine
import Synchronization

extension DaemonService {
    /// How long the state may take, seconds.
    private static let statusPatience = 0.25

    /// Where hundreds of managers ask at once, the daemon soon answers their user no more in that second: they are told
    /// what the others were.
    package func status() throws(LocationError) -> ServiceStatus {
        do throws(LocationError) {
            let status = try askStatus()
            lastStatus.withLock { $0 = (status, now) }
            return status
        } catch {
            guard error.isRefusalOfMany, let last = lastStatus.withLock({ $0 }),
                now.seconds(since: last.moment) < statusLifetime
            else { throw error }
            return last.answer
        }
    }

    private func askStatus() throws(LocationError) -> ServiceStatus {
        guard let waker = Waker() else { throw .noThread }
        let start = now
        do throws(LocationError) {
            let connection = try VarlinkConnection(path: path, waker: waker, seconds: Self.statusPatience)
            return try connection.call(
                LocationInterface.Method.getStatus, as: StatusReply.self,
                seconds: max(0.001, Self.statusPatience - now.seconds(since: start))
            ).status
        } catch .timedOut {
            throw .daemonNotRunning(path: path, reason: "it does not answer")
        }
    }
}

extension LocationError {
    /// What a daemon tells those who come too often, or too many; the most of them it leaves without a word.
    fileprivate var isRefusalOfMany: Bool {
        switch self {
        case .tooManyClients, .tooManyRequests, .disconnected: true
        default: false
        }
    }
}
