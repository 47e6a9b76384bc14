@_spi(Programs) package import LocationModel

/// Checks what each client is sent.
extension ExpectedService {
    /// A client gets something: the first reply of a watch too, before ``beginWatch(_:of:with:at:)``.
    ///
    /// - Parameter isHeld: whether it was held back, so that its status may be of a former permission.
    package func receive(
        _ reply: ExpectedReply, by client: ExpectedClient, isHeld: Bool = false, at now: BootInstant
    ) {
        checkPrivacy(of: reply, for: client)
        checkOrder(of: reply, for: client)
        if let status = reply.status {
            checkMovement(in: status, of: client, at: now)
            client.lastStatus = status
            client.watch?.receiveStatus(isPaused: status.isPaused)
            if !isHeld, let right = client.authorization, status.authorization != right {
                report("client \(client.number) is told that it is \(status.authorization), and is \(right)")
            }
        }
        guard !client.isExempt, client.watch != nil else { return }
        let fix = reply.location.flatMap { fixes[$0.sequence]?.location }
        if let complaint = client.watch?.receive(reply, fix: fix) { report("client \(client.number): \(complaint)") }
    }

    /// The first reply of a watch came, which has the last location if that is fresh, and no other.
    /// - Parameter isTimely: false while the daemon's timers may lag behind.
    package func beginWatch(
        _ request: WatchRequest, of client: ExpectedClient, with reply: ExpectedReply, at now: BootInstant
    ) {
        let number = client.number
        var watch = ExpectedWatch(request, view: client.view)
        defer { client.watch = watch }
        if reply.status == nil { report("client \(number) is not told the status first") }
        if reply.dropped != 0 { report("client \(number) begins with \(reply.dropped) lost fixes") }
        if reply.hasHeading || reply.hasSatellites { report("client \(number) begins with more than the location") }
        guard let place = reply.location else {
            if reply.isFinal { report("client \(number) is not told its first location, and no more") }
            if let last, isEnabled, last.age(at: now) < receivers.longestPatience(at: now) {
                watch.begin(without: last, isFresh: last.age(at: now) < receivers.staleAfter)
            }
            if let last, client.view == .full, request.location, isEnabled,
                last.age(at: now) < receivers.staleAfter, watch.admits(last)
            {
                report("client \(number) begins without the fresh location \(last.sequence)")
            }
            return
        }
        client.lastSequence = place.sequence
        guard let fix = fixes[place.sequence]?.location ?? last.flatMap({ $0.sequence == place.sequence ? $0 : nil })
        else { return report("client \(number) begins with the unknown fix \(place.sequence)") }
        watch.begin(with: fix)
        if !request.location { report("client \(number) begins with a location it did not ask for") }
        if !watch.isAccurate(place.accuracy) {
            report("client \(number) begins with a location less accurate than it asked for")
        }
        if client.view == .full, place.sequence != last?.sequence {
            report("client \(number) begins with \(place.sequence), and \(last?.sequence ?? 0) is the last")
        }
        if client.view == .full, receivers.isCertain, fix.age(at: now) >= receivers.longestPatience(at: now) {
            report("client \(number) begins with a location of \(fix.age(at: now)) s as a fresh one")
        }
        if (request.maximumUpdates == 1) != reply.isFinal {
            report("client \(number): its first location is wrongly the last, or not")
        }
    }

    /// A request is answered.
    package func answer(_ request: ExpectedRequest, of client: ExpectedClient, with reply: ExpectedReply, age: Double) {
        guard let place = reply.location else { return report("client \(client.number) is answered with nothing") }
        if let accuracy = request.accuracy, place.accuracy ?? .infinity > accuracy {
            report("client \(client.number) gets a location less accurate than it asked for")
        }
        guard client.view == .full else { return }
        if place.sequence <= request.newest, age > request.maximumAge {
            report("client \(client.number) gets an old location as a new one")
        }
        if fixes[place.sequence]?.isFollowed == false {
            report("client \(client.number) gets a location of a receiver that is not followed")
        }
    }

    /// Nobody is told that the machine is stationary, or paused for that, while the fixes contradict it.
    private func checkMovement(in status: ExpectedStatus, of client: ExpectedClient, at now: BootInstant) {
        guard !client.isBehind, !client.isCatchingUp, let watch = client.watch else { return }
        if status.isPaused != watch.isPaused {
            if status.isPaused { pauses.begun += 1 } else { pauses.ended += 1 }
        }
        if status.isStationary, !movement.mayBeStationary(for: 60, at: now) {
            report("client \(client.number) is told that the machine is stationary, and it moves")
        }
        guard status.isPaused, !watch.isPaused, let delay = watch.pauseDelay else { return }
        if !movement.mayBeStationary(for: delay, at: now) {
            report("client \(client.number) is paused, and the machine has not been stationary for \(delay) s")
        }
    }

    private func checkPrivacy(of reply: ExpectedReply, for client: ExpectedClient) {
        let tellsMore = reply.hasHeading || reply.hasSatellites
        guard !reply.places.isEmpty || reply.hasVisit || tellsMore else { return }
        if client.view == .nothing {
            return report("client \(client.number) is told a position it may not know")
        }
        if !isEnabled { report("client \(client.number) is told a place while the service is off") }
        if client.view != .full, tellsMore { report("client \(client.number) is told more than the place") }
        for place in reply.places {
            switch client.view {
            case .reduced: checkReduction(of: place, for: client)
            case .paced(_, let interval): checkPace(of: place, for: client, interval: interval)
            case .nothing, .full: break
            }
        }
    }

    /// All clients with reduced accuracy are sent the same for the same fix: a place without details, at 1 km or
    /// coarser.
    private func checkReduction(of place: ExpectedReply.Place, for client: ExpectedClient) {
        if place.isDetailed || place.accuracy ?? 0 < 1000 {
            report("client \(client.number) has reduced accuracy and is told in detail")
        }
        if let known = reduced[place.sequence],
            known.latitude != place.latitude || known.longitude != place.longitude
        {
            report("two clients with reduced accuracy are told different places of fix \(place.sequence)")
        }
        reduced[place.sequence] = place
    }

    private func checkPace(of place: ExpectedReply.Place, for client: ExpectedClient, interval: Double) {
        guard let fix = fixes[place.sequence]?.location else { return }
        guard let former = paced[client.view], former.sequence != fix.sequence else {
            return paced[client.view] = fix
        }
        let passed = fix.monotonicTime.seconds(since: former.monotonicTime)
        // The receiver's clock may count half a second more.
        if fix.sequence > former.sequence, passed + 0.5 < interval {
            report("client \(client.number), with a pace, is told of two fixes within \(passed) s")
        }
        paced[client.view] = fix
    }

    /// Numbers rise within a watch.
    private func checkOrder(of reply: ExpectedReply, for client: ExpectedClient) {
        guard client.watch != nil, !client.isExempt, let sequence = reply.location?.sequence else { return }
        if sequence <= client.lastSequence, client.view == .full {
            report("client \(client.number) gets \(sequence) after \(client.lastSequence)")
        }
        client.lastSequence = sequence
    }
}
