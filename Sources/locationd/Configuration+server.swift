import Authorization
import Configuration
import Glibc
import LocationHub
import LocationServer

extension Configuration {
    /// What the server needs of the configuration.
    /// - Parameter descriptorLimit: how many descriptors the process may have; connections leave some of them free.
    func serverSettings(version: String, descriptorLimit: Int) -> ServerSettings {
        var settings = ServerSettings(version: version, policy: access.policy)
        settings.hub = delivery.hubSettings
        settings.clientLimit = min(limits.clients, max(1, descriptorLimit - 128))
        settings.clientLimitPerUser = limits.clientsPerUser
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
        settings.failoverHysteresis = failoverHysteresis
        return settings
    }
}

extension Configuration.Access {
    /// The group's number is looked up once, at the start; a client's groups come from the kernel.
    var policy: AccessPolicy {
        AccessPolicy(daemonUID: geteuid(), group: getgrnam(group)?.pointee.gr_gid, groupName: group)
    }
}
