@_spi(Programs) package import LocationModel

extension Hub {
    /// Begins a request for one location. The answer is among the actions, now or of a later input.
    ///
    /// Rate-limited and reduced clients get their current, possibly old, location until the next one is due.
    /// - Parameter account: whose share of the receivers' time it adds to; see ``receiverTime(of:at:)``.
    package mutating func addRequest(
        _ id: RequestID, _ request: LocationRequest, permission: Permission, account: Int? = nil, at now: BootInstant
    ) -> [HubAction] {
        guard isEnabled else { return [.answer(id, .disabled)] }
        let view = permission.view
        if view != .full, let answer = answerFromView(view, to: request, at: now) { return [.answer(id, answer)] }
        if view == .full, let maximumAge = request.maximumAge, maximumAge > 0, let lastLocation,
            lastLocation.age(at: now) <= maximumAge
        {
            let location = estimated(lastLocation, for: request, view)
            if request.accepts(location) { return [.answer(id, .location(location))] }
        }
        if view == .full, request.maximumAge == nil, let held = heldLocation(at: now) {
            let location = estimated(held, for: request, view)
            if request.accepts(location) { return [.answer(id, .location(location))] }
        }
        // An answer would reveal to a client with reduced accuracy whether the receivers run.
        if request.passive, !sources.demand.isOn || !permission.seesSources {
            let refusal = passiveRefusal(of: request, view, at: now)
            return persistReductionIfChanged() + [.answer(id, refusal)]
        }
        let timeout = request.timeout ?? LocationRequest.defaultTimeout
        requests[id] = PendingRequest(request: request, view: view, deadline: now.advanced(bySeconds: timeout))
        if !request.passive { receiverTime.set(.request(id), account: account, needsReceivers: true) }
        return updateDemand(at: now) + answerHeldRequests(at: now) + (timeout <= 0 ? advance(to: now) : [])
    }

    /// Removes the request of a client that is gone.
    package mutating func cancelRequest(_ id: RequestID, at now: BootInstant) -> [HubAction] {
        guard removeRequest(id) != nil else { return [] }
        return updateDemand(at: now)
    }

    @discardableResult
    mutating func removeRequest(_ id: RequestID) -> PendingRequest? {
        receiverTime.set(.request(id), needsReceivers: false)
        return requests.removeValue(forKey: id)
    }

    /// The sources stop: passive requests, which wait for other clients' fixes, would wait in vain.
    mutating func refusePassiveRequests(at now: BootInstant) -> [HubAction] {
        guard isEnabled else { return [] }
        let waiting = requests.filter { $0.value.request.passive }.sorted { $0.key.number < $1.key.number }
        for (id, _) in waiting { removeRequest(id) }
        let answers = waiting.map {
            HubAction.answer($0.key, passiveRefusal(of: $0.value.request, $0.value.view, at: now))
        }
        return persistReductionIfChanged() + answers
    }

    /// Changes a pending request's permission; nothing seen under the old one is sent any more. If the new one gives
    /// nothing, the caller has to cancel the request, otherwise to reconsider it.
    package mutating func setPermission(_ permission: Permission, of id: RequestID) {
        requests[id]?.permit(permission.view)
    }

    /// Answers a request at once if what it may see now suffices.
    package mutating func reconsiderRequest(_ id: RequestID, at now: BootInstant) -> [HubAction] {
        guard let pending = requests[id], let answer = answerFromView(pending.view, to: pending.request, at: now)
        else { return [] }
        removeRequest(id)
        return [.answer(id, answer)] + updateDemand(at: now)
    }

    private mutating func answerFromView(
        _ view: View, to request: LocationRequest, at now: BootInstant
    ) -> LocationAnswer? {
        guard let location = views.current(view, at: now), request.accepts(location) else { return nil }
        return .location(location)
    }

    private mutating func passiveRefusal(
        of request: LocationRequest, _ view: View, at now: BootInstant
    ) -> LocationAnswer {
        let reason = "a passive request starts no receiver, nobody else asks, and no location young enough is known"
        return .unavailable(reason: reason, best: freshLocation(for: request, view, at: now))
    }

    var nextRequestDeadline: BootInstant? {
        requests.isEmpty ? nil : requests.values.lazy.map(\.deadline).min()
    }

    mutating func answerRequests(with location: Location, at now: BootInstant) -> [HubAction] {
        guard !requests.isEmpty else { return [] }
        return requests.keys.sorted { $0.number < $1.number }.compactMap { id in
            guard let pending = requests[id], let seen = views.applyFix(location, for: pending.view, at: now) else {
                return nil
            }
            let shown = estimated(seen, for: pending.request, pending.view)
            guard requests[id]?.isSatisfied(by: shown) == true else { return nil }
            removeRequest(id)
            return .answer(id, .location(shown))
        }
    }

    mutating func expireRequests(at now: BootInstant) -> [HubAction] {
        let expired = requests.filter { $0.value.deadline <= now }.sorted { $0.key.number < $1.key.number }
        guard !expired.isEmpty else { return [] }
        let source = sourceStatus(at: now)
        return expired.map { id, pending in
            removeRequest(id)
            let best = pending.best ?? freshLocation(for: pending.request, pending.view, at: now)
            guard source.state == .unavailable else { return .answer(id, .timedOut(best: best)) }
            return .answer(id, .unavailable(reason: source.reason ?? "no receiver can be reached", best: best))
        }
    }

    mutating func answerAll(_ answer: LocationAnswer) -> [HubAction] {
        let ids = requests.keys.sorted { $0.number < $1.number }
        for id in ids { removeRequest(id) }
        return ids.map { .answer($0, answer) }
    }
}
