import LocationInterface
import SystemClock
import Varlink

extension LocationClient {
    /// What the service keeps for this user under the names of monitors, and what it knows of their regions.
    public func monitors() async throws(LocationError) -> [NamedMonitor] {
        let reply = try await ask(
            LocationInterface.Method.listMonitors, NoParameters(), as: ListMonitorsReply.self)
        return reply.monitors.map { NamedMonitor($0, at: MachineClock.now) }
    }

    /// Has the service forget what it keeps under the name; a monitor that has it now is told the error
    /// `noSuchMonitor` and monitors no more.
    ///
    /// - Throws: `noSuchMonitor` if nothing is kept.
    public func removeMonitor(_ name: String) async throws(LocationError) {
        _ = try await ask(
            LocationInterface.Method.removeMonitor, MonitorName(name: name), as: NoParameters.self)
    }
}
