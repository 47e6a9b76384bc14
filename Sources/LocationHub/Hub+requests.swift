package import LocationModel

extension Hub {
    /// Asks for one location. The answer is among the actions, now or of a later input.
    package mutating func addRequest(_ id: RequestID, _ request: LocationRequest, at now: BootInstant) -> [HubAction] {
        guard isEnabled else { return [.answer(id, .disabled)] }
        if request.maximumAge > 0, let location = lastLocation, location.age(at: now) <= request.maximumAge,
            LocationFilter(requiredAccuracy: request.requiredAccuracy).acceptsAccuracy(of: location)
        {
            return [.answer(id, .location(location))]
        }
        if request.passive, !demand.isOn { return [.answer(id, passiveRefusal(at: now))] }
        requests[id] = PendingRequest(request: request, deadline: now.advanced(bySeconds: request.timeout))
        return updateDemand(at: now) + (request.timeout <= 0 ? advance(to: now) : [])
    }

    /// Whoever asked is gone.
    package mutating func cancelRequest(_ id: RequestID, at now: BootInstant) -> [HubAction] {
        guard requests.removeValue(forKey: id) != nil else { return [] }
        return updateDemand(at: now)
    }

    /// The sources stop: those who wait for what others cause would wait in vain.
    mutating func refusePassiveRequests(at now: BootInstant) -> [HubAction] {
        isEnabled ? answerAll(passiveRefusal(at: now)) : []
    }

    private func passiveRefusal(at now: BootInstant) -> LocationAnswer {
        let reason = "a passive request starts no receiver, nobody else asks, and no location young enough is known"
        return .unavailable(reason: reason, best: freshLocation(at: now))
    }

    var nextRequestDeadline: BootInstant? {
        requests.values.lazy.map(\.deadline).min()
    }

    mutating func answerRequests(with location: Location) -> [HubAction] {
        guard !requests.isEmpty else { return [] }
        return requests.keys.sorted { $0.number < $1.number }.compactMap { id in
            guard requests[id]?.isSatisfied(by: location) == true else { return nil }
            requests[id] = nil
            return .answer(id, .location(location))
        }
    }

    mutating func expireRequests(at now: BootInstant) -> [HubAction] {
        let expired = requests.filter { $0.value.deadline <= now }.sorted { $0.key.number < $1.key.number }
        guard !expired.isEmpty else { return [] }
        let source = sourceStatus(at: now)
        let fresh = freshLocation(at: now)
        return expired.map { id, pending in
            requests[id] = nil
            let best = pending.best ?? fresh
            guard source.state == .unavailable else { return .answer(id, .timedOut(best: best)) }
            return .answer(id, .unavailable(reason: source.reason ?? "no receiver can be reached", best: best))
        }
    }

    mutating func answerAll(_ answer: LocationAnswer) -> [HubAction] {
        let ids = requests.keys.sorted { $0.number < $1.number }
        requests.removeAll()
        return ids.map { .answer($0, answer) }
    }
}
