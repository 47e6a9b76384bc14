import Authorization
import DaemonConfiguration
import Glibc
import LocationHub
import LocationServer

extension Configuration {
    /// What the server needs of the configuration.
    /// - Parameter capacity: connections that there is room for.
    func serverSettings(version: String, capacity: Int, rules: [PolicyRule]) -> ServerSettings {
        var settings = ServerSettings(version: version, policy: access.policy(rules: rules))
        settings.hub = delivery.hubSettings
        settings.hub.reducedInterval = privacy.reducedInterval
        settings.clientCapacity = capacity
        // However many others there are, an administrator finds a place.
        settings.clientLimit = min(limits.clients, max(1, capacity - 64))
        settings.clientLimitPerUser = limits.clientsPerUser
        settings.requestRate = limits.requestsPerSecond
        settings.authorizationLimitPerUser = limits.authorizationsPerUser
        settings.hub.regionLimitPerUser = limits.regionsPerUser
        settings.hub.monitorLimitPerUser = limits.monitorsPerUser
        settings.hub.regionLimit = limits.regions
        settings.requestLimit = limits.requestSize
        settings.stalledTimeout = limits.stalledTimeout
        return settings
    }
}

extension Configuration.Delivery {
    var hubSettings: HubSettings {
        var settings = HubSettings()
        settings.staleAfter = staleAfter
        settings.linger = linger
        settings.refreshInterval = refreshInterval
        settings.failoverDelay = failoverDelay
        settings.failoverHysteresis = failoverHysteresis
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
