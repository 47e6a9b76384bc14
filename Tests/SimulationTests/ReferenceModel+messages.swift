import LocationModel

/// What each client is told, held against what it may be told.
extension ReferenceModel {
    func take(_ message: Message, for guest: Guest, at now: BootInstant, in world: World) {
        remember(message, of: guest)
        checkPrivacy(of: message, for: guest, in: world)
        checkAge(of: message, for: guest, at: now, in: world)
        if let isEnabled = message.isEnabled { guest.lastEnabled = isEnabled }
        if guest === world.followedWitness, guest.lastState == "tracking", let state = message.state,
            state != "tracking"
        {
            for other in world.guests { other.watch?.forgetAnchor() }
        }
        if let state = message.state { guest.lastState = state }
        guard !guest.isLawless else { return }
        if guest.watch != nil {
            if let complaint = guest.watch?.take(message) { world.fault("client \(guest.number): \(complaint)") }
        } else {
            answer(message, for: guest, at: now, in: world)
        }
        guard !message.continues else { return }
        if guest.watch?.makesDemand == true { world.neededUntil = world.time.awake }
        guest.watch = nil
        guest.monitor = nil
        guard !guest.asked.isEmpty else {
            return world.fault("client \(guest.number) is answered without having asked")
        }
        guest.asked.removeFirst()
        guest.headSince = world.time.awake
    }

    /// Two runs of a seed are the same if each client is told the same, whoever is told first.
    private func remember(_ message: Message, of guest: Guest) {
        let text =
            "\(message.error ?? "") \(message.state ?? "") \(message.dropped) \(message.continues) "
            + "\(message.places.map { "\($0.sequence) \($0.latitude) \($0.age)" }.sorted())"
        var hash = traces[guest.number] ?? UInt64(guest.number)
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        traces[guest.number] = hash
    }

    private func answer(_ message: Message, for guest: Guest, at now: BootInstant, in world: World) {
        // Who asks and is answered at once has needed a source all the same.
        switch guest.asked.first {
        case .watch(let request) where !request.passive: world.neededUntil = world.time.awake
        case .location(_, _, _, false, _): world.neededUntil = world.time.awake
        default: break
        }
        guard message.error == nil else { return }
        switch guest.asked.first {
        case .watch(let request): open(request, message, for: guest, at: now, in: world)
        case .monitor(let passive) where guest.monitor == nil:
            guest.monitor = (passive, world.permissions.view(of: guest.uid))
        case .location(let maximumAge, let accuracy, _, _, let after):
            guard let place = message.location else {
                return world.fault("client \(guest.number) is answered with nothing")
            }
            if let accuracy, place.accuracy ?? .infinity > accuracy {
                world.fault("client \(guest.number) gets a location less accurate than it asked for")
            }
            guard world.permissions.view(of: guest.uid) == .full else { return }
            if place.sequence <= after, place.age > maximumAge {
                world.fault("client \(guest.number) gets an old location as a new one")
            }
            if fixes[place.sequence]?.isFollowed == false {
                world.fault("client \(guest.number) gets a location of a receiver that is not followed")
            }
        default: break
        }
    }

    /// The first reply of a watch has the last location if that is fresh, and no other.
    private func open(
        _ request: ExpectedWatch.Request, _ message: Message, for guest: Guest, at now: BootInstant, in world: World
    ) {
        let view = world.permissions.view(of: guest.uid)
        var watch = ExpectedWatch(request, view: view)
        if message.state == nil { world.fault("client \(guest.number) is not told the status first") }
        if let place = message.location {
            guard
                let fix = fixes[place.sequence]?.location ?? last.flatMap({ $0.sequence == place.sequence ? $0 : nil })
            else { return world.fault("client \(guest.number) begins with the unknown fix \(place.sequence)") }
            watch.open(with: fix)
            if view == .full, place.sequence != last?.sequence {
                world.fault(
                    "client \(guest.number) begins with \(place.sequence), and \(last?.sequence ?? 0) is the last")
            }
            let patience = receivers.longestPatience(at: now)
            if view == .full, receivers.isCertain, fix.age(at: now) >= patience {
                world.fault("client \(guest.number) begins with a location of \(fix.age(at: now)) s as a fresh one")
            }
            if request.maximum == 1, message.continues { world.fault("client \(guest.number) is not told its last") }
        } else if let last, view == .full, request.location, world.isEnabled,
            last.age(at: now) < ExpectedReceivers.staleAfter, watch.admits(last)
        {
            world.fault("client \(guest.number) begins without the fresh location \(last.sequence)")
        }
        guest.watch = watch
    }

    private func checkPrivacy(of message: Message, for guest: Guest, in world: World) {
        guard !message.places.isEmpty || message.tellsVisit || message.tellsSky else { return }
        let view = world.permissions.view(of: guest.uid)
        if view == .nothing {
            return world.fault("client \(guest.number), uid \(guest.uid), is told where it may not know")
        }
        if !world.isEnabled { world.fault("client \(guest.number) is told a place while the service is off") }
        if view != .full, message.tellsSky { world.fault("client \(guest.number) is told more than the place") }
        for place in message.places {
            switch view {
            case .reduced: checkRoughness(of: place, for: guest, in: world)
            case .paced(let uid, let interval): checkPace(of: place, uid: uid, interval: interval, in: world)
            case .nothing, .full: break
            }
        }
    }

    /// All who know roughly are told the same of the same fix, of the place alone and of that not much.
    private func checkRoughness(of place: Message.Place, for guest: Guest, in world: World) {
        if place.isDetailed || place.accuracy ?? 0 < 1000 {
            world.fault("client \(guest.number) is to know roughly and is told in detail")
        }
        if let known = rough[place.sequence], known.latitude != place.latitude || known.longitude != place.longitude {
            world.fault("two who know roughly are told different places of fix \(place.sequence)")
        }
        rough[place.sequence] = place
    }

    private func checkPace(of place: Message.Place, uid: UInt32, interval: Double, in world: World) {
        guard let fix = fixes[place.sequence]?.location else { return }
        let key = "\(uid) \(interval)"
        guard let former = paced[key], former.sequence != fix.sequence else { return paced[key] = fix }
        let passed = fix.monotonicTime.seconds(since: former.monotonicTime)
        // The receiver's clock may count half a second more.
        if fix.sequence > former.sequence, passed + 0.5 < interval {
            world.fault("uid \(uid) is told of two fixes within \(passed) s")
        }
        paced[key] = fix
    }

    /// Ages are those of the moment, and nothing older comes after what is newer.
    private func checkAge(of message: Message, for guest: Guest, at now: BootInstant, in world: World) {
        for place in message.places {
            let age = now.seconds - place.monotonicTime
            if age < -1e-6 || abs(place.age - age) > 1e-5 {
                world.fault("client \(guest.number) is told an age of \(place.age) s, and it is \(age) s")
            }
        }
        guard guest.watch != nil, !guest.isLawless, let sequence = message.location?.sequence else { return }
        if sequence <= guest.lastSequence, world.permissions.view(of: guest.uid) == .full {
            world.fault("client \(guest.number) gets \(sequence) after \(guest.lastSequence)")
        }
        guest.lastSequence = sequence
    }
}
