import Glibc
import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel

extension ServerDispatcher {
    var statistics: Statistics {
        let now = now
        let named = environment.sources.reports
        var statistics = Statistics()
        statistics.version = settings.version
        statistics.pid = Int(getpid())
        statistics.uptime = now.seconds(since: context.started)
        statistics.clients = connections.clients.count
        statistics.watches = hub.watchCount
        statistics.monitors = hub.monitorCount
        statistics.requests = hub.requestCount
        statistics.refusedConnections = counters.refusedConnections
        statistics.fixes = hub.counters.fixes
        statistics.repeats = hub.counters.repeats
        statistics.deliveries = delivery.count
        statistics.dropped = hub.counters.dropped
        statistics.sequence = hub.lastSequence
        statistics.demand = hub.isDemanded
        (statistics.receiverTime, statistics.unclaimedReceiverTime) = hub.receiverTime(at: now)
        statistics.sparedReceiverTime = hub.sparedTime(at: now)
        var shares = connections.receiverShares
        for client in connections.clients.values {
            shares.add(hub.receiverTime(of: client.id, at: now), to: "\(client.principal)")
        }
        statistics.receiverShares = shares.reports
        statistics.battery = batteryReport
        statistics.residentBytes = residentBytes
        statistics.sources = named.enumerated().map { rank, source in
            let condition = hub.condition(of: rank)
            let heldBack = hub.counters.implausible[rank, default: [:]].map { ($0.key.rawValue, $0.value) }
            var report = SourceReport(
                name: source.name, running: condition != nil, fixes: hub.counters.fixesByRank[rank, default: 0],
                counters: source.counters.merging(heldBack) { $0 + $1 }, reason: condition?.reason)
            report.enabled = !hub.switchedOffSources.contains(source.name)
            return report
        }
        statistics.receivers = hub.receiverReports.map { report in
            ReceiverReport(
                source: report.lastFix?.source.name
                    ?? (named.indices.contains(report.key.rank) ? named[report.key.rank].name : "simulate"),
                device: report.key.device, followed: report.isFollowed, hasFix: report.hasFix,
                fixAge: report.lastFix?.age(at: now), interval: report.interval)
        }
        return statistics
    }

    /// A summary of the service without the position.
    var summary: ServiceSummary {
        let now = now
        return ServiceSummary(
            status: hub.publicStatus(at: now), location: hub.freshLocation(at: now), clients: connections.clients.count,
            waitingRequests: waitingRequests)
    }

    /// The second number of /proc/self/statm: resident pages.
    private var residentBytes: Int? {
        guard let file = fopen("/proc/self/statm", "r") else { return nil }
        defer { fclose(file) }
        var total = 0
        var resident = 0
        let count = withUnsafeMutablePointer(to: &total) { total in
            withUnsafeMutablePointer(to: &resident) { resident in
                withVaList([total, resident]) { vfscanf(file, "%ld %ld", $0) }
            }
        }
        return count == 2 ? resident * Int(sysconf(Int32(_SC_PAGESIZE))) : nil
    }
}
