import LocationInterface
package import LocationModel
import Machine

extension DaemonService {
    /// How long the state may take, seconds.
    private static let statusPatience = 0.25

    package func status() throws(LocationError) -> ServiceStatus {
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
