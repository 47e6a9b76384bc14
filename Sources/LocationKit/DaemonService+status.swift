import LocationInterface
package import LocationModel
import Synchronization
import SystemClock
import SystemSupport

extension DaemonService {
    /// How long an answer may take for which a caller's thread waits, seconds.
    @TaskLocal package static var briefPatience = 0.25

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
    /// Asks on a connection of its own, and waits a quarter of a second at most: ``DaemonService/briefPatience``.
    static func askAtOnce<Answer: Decodable>(
        _ method: String, at path: String, as type: Answer.Type
    ) throws(LocationError) -> Answer {
        guard let waker = Waker() else { throw .noThread }
        let (patience, start) = (DaemonService.briefPatience, MachineClock.now)
        do throws(LocationError) {
            let connection = try VarlinkConnection(path: path, waker: waker, seconds: patience)
            return try connection.call(
                method, as: type, seconds: max(0.001, patience - MachineClock.now.seconds(since: start)))
        } catch .timedOut {
            throw .silent(at: path)
        }
    }
}
