@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Synchronization
@_spi(Programs) import SystemSupport

/// Connects one monitor to the daemon at one socket.
///
/// Ownership: the ``MonitorConnectorDriver`` owns the connections and runs on the client thread, which receives jobs in
/// the order of the calls. If the client thread cannot be started, the client is remembered here, under a lock, and
/// ``deliverPending()`` reports the failure to it; nothing is retried until the next interest.
@_spi(Programs) public final class DaemonMonitorTransport: MonitorTransport {
    private let path: String
    private let thread: ClientThread
    private let driver: ClientThreadConfined<MonitorConnectorDriver>
    private let unreachableClient = Mutex<(any MonitorTransportClient)?>(nil)

    @_spi(Programs) public init(path: String, thread: ClientThread = .shared) {
        self.path = path
        self.thread = thread
        driver = ClientThreadConfined(MonitorConnectorDriver(path: path))
    }

    @_spi(Programs) public func setInterest(_ interest: MonitorRequest?, of client: any MonitorTransportClient) {
        // Clearing the interest must not retain the client, which may be in deinitialization.
        guard let interest else {
            return thread.performIfRunning { [driver] loop in driver(loop).setInterest(nil, of: nil, loop) }
        }
        let isPerformed = thread.perform { [driver] loop in driver(loop).setInterest(interest, of: client, loop) }
        if !isPerformed { unreachableClient.withLock { $0 = client } }
    }

    @_spi(Programs) public func persistedMonitor(_ name: String) throws(LocationError) -> NamedMonitor? {
        let answer = try VarlinkConnection.callBriefly(
            LocationInterface.Method.listMonitors, at: path, as: ListMonitorsReply.self)
        return answer.monitors.first { $0.name == name }.map { NamedMonitor($0, at: MachineClock.now) }
    }

    @_spi(Programs) public func deliverPending() {
        let unreachableClient = unreachableClient.withLock { $0.take() }
        unreachableClient?.receive(.disconnected(.noThread))
    }
}
