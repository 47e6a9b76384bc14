import LocationInterface
import LocationModel
import Synchronization
import SystemClock

/// The daemon at one socket, for one monitor.
///
/// Ownership: what is open is the ``MonitorSession``'s, on the client thread; jobs reach it in the order of the calls. Where
/// there can be no client thread the failure waits here, under a lock, for ``settle()``; nothing is tried again then until
/// the next wish.
package final class DaemonMonitorService: MonitorService {
    private let path: String
    private let thread: ClientThread
    private let session: OnClientThread<MonitorSession>
    private let forsaken = Mutex<(any MonitorClient)?>(nil)

    package init(path: String, thread: ClientThread = .shared) {
        self.path = path
        self.thread = thread
        session = OnClientThread(MonitorSession(path: path))
    }

    package func wish(_ wish: MonitorRequest?, of client: any MonitorClient) {
        // The end of a wish must hold nobody: it may come while the client is being released.
        guard let wish else {
            return thread.performIfRunning { [session] loop in session(loop).wish(nil, of: nil, loop) }
        }
        let isPerformed = thread.perform { [session] loop in session(loop).wish(wish, of: client, loop) }
        if !isPerformed { forsaken.withLock { $0 = client } }
    }

    package func kept(_ name: String) throws(LocationError) -> NamedMonitor? {
        let answer = try VarlinkConnection.askAtOnce(
            LocationInterface.Method.listMonitors, at: path, as: ListMonitorsReply.self)
        return answer.monitors.first { $0.name == name }.map { NamedMonitor($0, at: MachineClock.now) }
    }

    package func settle() {
        let forsaken = forsaken.withLock { $0.take() }
        forsaken?.receive(.disconnected(.noThread))
    }
}
