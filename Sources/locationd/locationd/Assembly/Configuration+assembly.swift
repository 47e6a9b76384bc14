import Authorization
import DaemonConfiguration
import Glibc
import LocationServer
@_spi(Programs) import SystemSupport

extension Configuration {
    /// The server's settings from the configuration.
    /// - Parameter capacity: the number of connections that resources suffice for.
    func serverSettings(version: String, capacity: Int, policy: PolicyFile.Contents) -> ServerSettings {
        var settings = ServerSettings(version: version, policy: access.policy(policy))
        settings.hub = hub
        settings.clientCapacity = capacity
        return settings
    }
}

extension Configuration.Access {
    /// The group's number is looked up once, at the start; a client's groups come from the kernel.
    func policy(_ contents: PolicyFile.Contents) -> AccessPolicy {
        var policy = AccessPolicy(
            daemonUID: geteuid(), group: getgrnam(group)?.pointee.gr_gid, groupName: group, rules: contents.rules)
        policy.ceilings = contents.ceilings
        return policy
    }
}

extension SourceParts {
    /// Sources that use the machine's clocks.
    /// - Parameter heartbeats: where the sources' threads send their heartbeats.
    static func system(_ heartbeats: Heartbeats) -> SourceParts {
        SourceParts(clock: .machine, heartbeats: heartbeats)
    }
}
