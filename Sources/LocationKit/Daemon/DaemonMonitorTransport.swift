import LocationInterface
import LocationModel
import Machine
import Synchronization

/// The daemon at one socket, for one monitor.
///
/// Ownership: what is open is the ``MonitorConnectorDriver``'s, on the client thread; jobs reach it in the order of the calls. Where
/// there can be no client thread the failure waits here, under a lock, for ``deliverPending()``; nothing is tried again then until
/// the next interest.
package final class DaemonMonitorTransport: MonitorTransport {
    private let path: String
    private let thread: ClientThread
    private let driver: ClientThreadConfined<MonitorConnectorDriver>
    private let unreachableClient = Mutex<(any MonitorTransportClient)?>(nil)

    package init(path: String, thread: ClientThread = .shared) {
        self.path = path
        self.thread = thread
        driver = ClientThreadConfined(MonitorConnectorDriver(path: path))
    }

    package func setInterest(_ interest: MonitorInterest?, of client: any MonitorTransportClient) {
        // The end of an interest must hold nobody: it may come while the client is being released.
        guard let interest else {
            return thread.performIfRunning { [driver] loop in driver(loop).setInterest(nil, of: nil, loop) }
        }
        let isPerformed = thread.perform { [driver] loop in driver(loop).setInterest(interest, of: client, loop) }
        if !isPerformed { unreachableClient.withLock { $0 = client } }
    }

    package func kept(_ name: String) throws(LocationError) -> KeptMonitor? {
        let answer = try VarlinkConnection.callBriefly(
            LocationInterface.Method.listMonitors, at: path, as: ListMonitorsReply.self)
        return answer.monitors.first { $0.name == name }.map { KeptMonitor($0, at: MachineClock.now) }
    }

    package func deliverPending() {
        let unreachableClient = unreachableClient.withLock { $0.take() }
        unreachableClient?.receive(.disconnected(.noThread))
    }
}
