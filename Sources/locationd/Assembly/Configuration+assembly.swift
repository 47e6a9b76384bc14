import Authorization
import DaemonConfiguration
import Glibc
import LocationServer
import SimulatedSource
import SystemClock
import SystemSupport

extension Configuration {
    /// What the server needs of the configuration.
    /// - Parameter capacity: connections that there is room for.
    func serverSettings(version: String, capacity: Int, rules: [PolicyRule]) -> ServerSettings {
        var settings = ServerSettings(version: version, policy: access.policy(rules: rules))
        settings.hub = hub
        settings.clientCapacity = capacity
        return settings
    }
}

extension Configuration.Access {
    /// The group's number is looked up once, at the start; a client's groups come from the kernel.
    func policy(rules: [PolicyRule]) -> AccessPolicy {
        AccessPolicy(
            daemonUID: geteuid(), group: getgrnam(group)?.pointee.gr_gid, groupName: group, rules: rules)
    }
}

extension SourceParts {
    /// Sources on the machine's own clocks.
    /// - Parameter heartbeats: where the sources' threads show that they are alive.
    static func system(_ heartbeats: Heartbeats) -> SourceParts {
        let clocks = SourceClocks(
            utc: { MachineClock.utc }, now: { MachineClock.now }, sleep: { try await Pause.sleep(for: $0) })
        return SourceParts(clocks: clocks, heartbeats: heartbeats)
    }
}
