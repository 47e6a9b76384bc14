import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel

/// What administrators see of locations and their sources.
protocol LocationReports: AnyObject {
    func addStatistics(to statistics: inout Statistics)
    /// - Parameter figures: with the statistics.
    func addFigures(to figures: inout ServiceFigures)
    /// What a client has lost, was sent, and had receivers run for.
    func addProgress(of client: ServerClient, to report: inout ClientReport)
}

extension LocationCalls: LocationReports {
    func addStatistics(to statistics: inout Statistics) {
        let now = now
        let named = environment.sources.reports
        statistics.watches = hub.watchCount
        statistics.monitors = hub.monitorCount
        statistics.requests = hub.requestCount
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
    }

    private var batteryReport: BatteryReport? {
        guard let state = hub.batteryState, let minimum = hub.settings.minimumBattery else { return nil }
        return BatteryReport(
            level: state.percent, discharging: state.percent.map { _ in state.isDischarging }, minimum: minimum,
            low: state.isLow, faults: state.faults)
    }

    func addFigures(to figures: inout ServiceFigures) {
        let names = figures.statistics.sources.map(\.name)
        func name(of rank: Int) -> String { names.indices.contains(rank) ? names[rank] : "simulate" }
        figures.isEnabled = hub.isEnabled
        figures.fixAge = hub.lastLocation?.age(at: now)
        for name in names { figures.fixesBySource[name] = .init() }
        for (rank, count) in hub.counters.fixesByRank {
            figures.fixesBySource[name(of: rank), default: .init()].accepted += count
        }
        for (rank, count) in hub.counters.repeatsByRank {
            figures.fixesBySource[name(of: rank), default: .init()].repeated += count
        }
        for (rank, counts) in hub.counters.implausible {
            figures.fixesBySource[name(of: rank), default: .init()].implausible += counts.values.reduce(0, +)
        }
        figures.overflowedFixes = hub.counters.overflowed
        figures.internalErrors += hub.counters.internalErrors
        figures.encodings = delivery.encodings
    }

    func addProgress(of client: ServerClient, to report: inout ClientReport) {
        if case .watching(let id) = client.activity, let progress = hub.progress(of: id) {
            report.dropped = progress.dropped
            delivery.countSent(to: client, at: id)
        }
        report.sent = client.sent
        report.receiverTime = hub.receiverTime(of: client.id, at: now)
    }
}
