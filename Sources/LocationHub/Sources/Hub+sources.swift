import Geodesy
package import LocationModel

extension Hub {
    /// The rank of locations injected by hand: before every source.
    package static let injectedRank = -1

    /// Applies an event of a source.
    package mutating func applyEvent(_ event: SourceEvent, from rank: Int, at now: BootInstant) -> [HubAction] {
        // Events that arrive after the service was switched off or the source was stopped are ignored.
        let isRunning = rank < running || compasses.isRunning && compasses.ranks.contains(rank)
        guard isEnabled, isRunning, !switches.isOff(rank) else { return [] }
        switch event {
        case .fix(let location):
            return applyFix(location, from: ReceiverKey(rank: rank, device: location.source.device), at: now)
        case .noFix(let device):
            receivers.loseFix(
                of: ReceiverKey(rank: rank, device: device), isReported: true, at: now, settings: settings)
            return announceChanges(at: now) + updateStandby(at: now)
        case .satellites(let satellites, let device, let time):
            return applySky(satellites, from: ReceiverKey(rank: rank, device: device), measured: time, at: now)
        case .satelliteCounts(let counts, let device, let time):
            receivers.update(ReceiverKey(rank: rank, device: device), satellites: counts, at: time)
            return []
        case .heading(let heading, let device, let time):
            return applyHeading(heading, from: ReceiverKey(rank: rank, device: device), measured: time, at: now)
        case .condition(let condition):
            guard sources.indices.contains(rank) else { return [] }
            sources[rank] = condition
            if compasses.ranks.contains(rank) { compasses.applyCondition(condition, from: rank) }
            return announceChanges(at: now)
        case .anomaly: return []
        }
    }

    /// Seconds from the demand, or from new sources, to the first fix; returned once, after that fix.
    package mutating func consumeTimeToFirstFix() -> Double? {
        defer { timeToFirstFix = nil }
        return timeToFirstFix
    }

    /// Counts fixes that the mailbox dropped as lost for the watches that would have seen them.
    package mutating func loseFixes(_ count: Int) -> [HubAction] {
        guard count > 0, isEnabled, demand.isOn else { return [] }
        counters.overflowed += count
        watches.forEach { _, watch in
            let before = watch.totalDropped
            watch.countOverflow(count)
            counters.dropped += watch.totalDropped - before
        }
        let (_, reserve) = sequence.next(skipping: count - 1)
        return reserve.map { [.reserveSequences(upTo: $0)] } ?? []
    }

    private mutating func applyFix(_ fix: Location, from key: ReceiverKey, at now: BootInstant) -> [HubAction] {
        var location = fix
        location.isTimestampImplausible = wallClock.objects(to: fix, tolerance: settings.plausibility.dateTolerance)
        let isFollowed: Bool
        switch receivers.applyFix(location, from: key, settings: settings) {
        case .repeated:
            counters.repeats += 1
            counters.repeatsByRank[key.rank, default: 0] += 1
            return []
        case .implausible(let reason):
            location.implausibility = reason
            return holdBack(location, from: key, at: now)
        case .accepted(let isFollowing): isFollowed = isFollowing
        }
        counters.fixes += 1
        counters.fixesByRank[key.rank, default: 0] += 1
        if key.rank != Self.injectedRank, let began = searchBegan {
            timeToFirstFix = now.seconds(since: began)
            searchBegan = nil
        }
        let (number, reserve) = sequence.next()
        location.sequence = number
        if isFollowed {
            lastLocation = location
            hadFix = true
        }
        var actions: [HubAction] = reserve.map { [.reserveSequences(upTo: $0)] } ?? []
        if isFollowed {
            observeMovement(location, at: now)
            actions += announceChanges(at: now)
        }
        var deliveries = deliver(location, isFollowed: isFollowed, at: now)
        if isFollowed {
            deliveries += monitor(location, at: now)
            deliveries += answerRequests(with: location, at: now)
            deliveries += pauseWatches(at: now)
            if intervals.applyFix(location, at: now) { intervalSearch.restart() }
            demand.fixArrived(at: now)
        }
        actions += persistReductionIfChanged()
        let changes = updateDemand(at: now)
        // Nearly always there are only deliveries, which contain the location and are expensive to copy.
        return actions.isEmpty && changes.isEmpty ? deliveries : actions + deliveries + changes
    }

    /// A fix that is not believed is counted, has a number, and is sent to the watches of every source alone.
    private mutating func holdBack(_ fix: Location, from key: ReceiverKey, at now: BootInstant) -> [HubAction] {
        if let reason = fix.implausibility { counters.implausible[key.rank, default: [:]][reason, default: 0] += 1 }
        var location = fix
        let (number, reserve) = sequence.next()
        location.sequence = number
        let actions: [HubAction] = reserve.map { [.reserveSequences(upTo: $0)] } ?? []
        return actions + announceChanges(at: now) + deliver(location, isFollowed: false, at: now)
            + updateDemand(at: now)
    }

    private mutating func applySky(
        _ satellites: [Satellite], from key: ReceiverKey, measured time: BootInstant, at now: BootInstant
    ) -> [HubAction] {
        receivers.update(key, satellites: SatelliteCounts(satellites), at: time)
        guard needs.sky > 0, let focus = receivers.indexInFocus(at: now, settings: settings),
            receivers.all[focus].key == key
        else { return [] }
        var prompt: [WatchID] = []
        watches.forEach { id, watch in
            guard watch.request.satellites, watch.permission.maySeeAll else { return }
            if watch.isBehind { watch.backlog.hold(satellites: satellites) } else { prompt.append(id) }
        }
        return prompt.isEmpty ? [] : [.sendSatellites(satellites, to: prompt)]
    }

    private mutating func applyHeading(
        _ heading: Heading, from key: ReceiverKey, measured time: BootInstant, at now: BootInstant
    ) -> [HubAction] {
        guard compasses.accept(heading, from: key, measured: time, at: now, staleAfter: settings.staleAfter)
        else { return [] }
        var prompt: [WatchID] = []
        watches.forEach { id, watch in
            guard watch.admits(heading) else { return }
            if watch.isBehind { watch.backlog.hold(heading: heading, at: time) } else { prompt.append(id) }
        }
        let status = announceChanges(at: now)
        return status + (prompt.isEmpty ? [] : [.sendHeading(heading, at: time, to: prompt)])
    }

    private mutating func deliver(_ location: Location, isFollowed: Bool, at now: BootInstant) -> [HubAction] {
        var prompt: [WatchID] = []
        prompt.reserveCapacity(watches.count)
        var others: [View: (shown: Location, ids: [WatchID])] = [:]
        var delayed: [View: (shown: Location, ids: [WatchID])] = [:]
        var views = views
        var own: [HubAction] = []
        var ended: [WatchID] = []
        var concerned: [WatchID] = []
        var dropped = 0
        var point: SurfacePoint?
        watches.forEach { id, watch in
            guard watch.wants(isFollowed: isFollowed) else { return }
            let before = watch.totalDropped
            func reply(_ update: WatchUpdate) {
                own.append(.reply(id, update))
                if update.isFinal { ended.append(id) }
            }
            if watch.seesAll {
                switch watch.consider(location, at: &point) {
                case .nothing: break
                case .ordinary: prompt.append(id)
                case .delayed: delayed[.full, default: (location, [])].ids.append(id)
                case .own(let update): reply(update)
                }
            } else {
                guard let shown = views.applyFix(location, for: watch.view, at: now) else { return }
                var point: SurfacePoint?
                switch watch.consider(shown, at: &point) {
                case .nothing: break
                case .ordinary: others[watch.view, default: (shown, [])].ids.append(id)
                case .delayed: delayed[watch.view, default: (shown, [])].ids.append(id)
                case .own(let update): reply(update)
                }
            }
            dropped += watch.totalDropped - before
            if watch.isStatusDue {
                watch.isStatusDue = false
                concerned.append(id)
            }
        }
        self.views = views
        counters.dropped += dropped
        // Each fix passes here, nearly always with nothing but the first.
        var actions = concerned.isEmpty ? [] : sendStatus(to: concerned, at: now)
        for id in ended { removeWatch(id) }
        if !prompt.isEmpty { actions.append(.sendLocation(location, to: prompt)) }
        for (shown, ids) in others.values { actions.append(.sendLocation(shown, to: ids)) }
        if !own.isEmpty { actions += own }
        for (shown, ids) in delayed.values { actions += hold(shown, for: ids, at: now) }
        return actions
    }
}
