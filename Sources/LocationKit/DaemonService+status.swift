import LocationInterface
package import LocationModel
import Machine
import Synchronization

extension DaemonService {
    /// Where hundreds of managers ask at once, the daemon soon answers their user no more in that second, or is late: they
    /// are told what the others were.
    package func status() throws(LocationError) -> ServiceStatus {
        do throws(LocationError) {
            let status = try askStatus()
            lastStatus.withLock { $0 = (status, now) }
            return status
        } catch {
            guard isOfCrowd(error), let last = lastStatus.withLock({ $0 }),
                now.seconds(since: last.moment) < statusLifetime
            else { throw error }
            return last.answer
        }
    }

    /// Whether it is what a daemon has for those who come too often, or too many; the most of them it leaves without a
    /// word.
    private func isOfCrowd(_ error: LocationError) -> Bool {
        switch error {
        case .tooManyClients, .tooManyRequests, .disconnected: true
        default: error == .silent(at: path) || error == .busy(at: path)
        }
    }

    private func askStatus() throws(LocationError) -> ServiceStatus {
        try VarlinkConnection.askAtOnce(LocationInterface.Method.getStatus, at: path, as: StatusReply.self).status
    }
}

extension VarlinkConnection {
    /// How long an answer may take for which a caller's thread waits, seconds.
    private static let briefPatience = 0.25

    /// Asks on a connection of its own, and waits a quarter of a second at most.
    static func askAtOnce<Answer: Decodable>(
        _ method: String, at path: String, as type: Answer.Type
    ) throws(LocationError) -> Answer {
        guard let waker = Waker() else { throw .noThread }
        let start = MachineClock.now
        do throws(LocationError) {
            let connection = try VarlinkConnection(path: path, waker: waker, seconds: briefPatience)
            return try connection.call(
                method, as: type, seconds: max(0.001, briefPatience - MachineClock.now.seconds(since: start)))
        } catch .timedOut {
            throw .silent(at: path)
        }
    }
}
