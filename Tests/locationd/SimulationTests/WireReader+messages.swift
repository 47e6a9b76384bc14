@_spi(Programs) import LocationModel
import ReferenceModel

/// What each client is sent, in the terms of the reference model, and what only the wire shows.
extension WireReader {
    func receive(_ message: Message, for client: SimulatedClient, at now: BootInstant, in machine: SimulatedMachine) {
        remember(message, of: client)
        if client === machine.estimateObserver {
            checkAge(of: message, for: client, at: now, in: machine)
            if let complaint = estimates.complaint(about: message, model) {
                machine.fault("the estimates: \(complaint)")
            }
            return
        }
        // Of everybody else nobody has asked for estimates.
        if message.places.contains(where: { $0.estimateBasis != nil }) {
            machine.fault("client \(client.number) is told an estimate")
        }
        let outcomes = ["NotAuthorized", "Disabled", "TimedOut", "LocationUnavailable"]
        if message.error.map({ error in outcomes.contains { error.hasSuffix(".\($0)") } }) ?? true {
            client.isLookedUp = true
        }
        checkAge(of: message, for: client, at: now, in: machine)
        let former = client.lastState
        let isWatching = client.watch != nil
        let reply = message.reply
        model.receive(reply, by: client.expected, at: now)
        if client === machine.observer, former == "tracking", let state = message.status?.state, state != "tracking" {
            model.forgetAnchors()
        }
        guard !client.isExempt else { return }
        if !isWatching { answer(reply, message, for: client, at: now, in: machine) }
        guard !message.continues else { return }
        if client.watch?.makesDemand == true { model.demand.extendNeed(to: machine.time.awake) }
        client.watch = nil
        client.monitor = nil
        guard !client.asked.isEmpty else {
            return machine.fault("client \(client.number) is answered without having asked")
        }
        client.asked.removeFirst()
        client.headSince = machine.time.awake
    }

    /// Two runs of a seed are the same if each client is told the same, in whatever order among the clients.
    private func remember(_ message: Message, of client: SimulatedClient) {
        let text =
            "\(message.error ?? "") \(message.status?.state ?? "") \(message.dropped) \(message.continues) "
            + "\(message.places.map { "\($0.known.sequence) \($0.known.latitude) \($0.age)" }.sorted())"
        var hash = traces[client.number] ?? UInt64(client.number)
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        traces[client.number] = hash
    }

    private func answer(
        _ reply: ExpectedReply, _ message: Message, for client: SimulatedClient, at now: BootInstant,
        in machine: SimulatedMachine
    ) {
        // A client that is answered at once has needed a source all the same.
        switch client.asked.first {
        case .watch(let request) where !request.passive: model.demand.extendNeed(to: machine.time.awake)
        case .location(let request) where !request.isPassive: model.demand.extendNeed(to: machine.time.awake)
        default: break
        }
        guard message.error == nil else { return }
        switch client.asked.first {
        case .watch(let request): model.beginWatch(request, of: client.expected, with: reply, at: now)
        case .monitor(let passive) where client.monitor == nil: client.monitor = (passive, client.expected.view)
        case .location(let request):
            model.answer(request, of: client.expected, with: reply, age: message.location?.age ?? 0)
        default: break
        }
    }

    /// Ages are those of the moment.
    private func checkAge(
        of message: Message, for client: SimulatedClient, at now: BootInstant, in machine: SimulatedMachine
    ) {
        for place in message.places {
            let age = now.seconds - place.known.monotonicTime
            if age < -1e-6 || abs(place.age - age) > 1e-5 {
                machine.fault("client \(client.number) is told an age of \(place.age) s, and it is \(age) s")
            }
        }
    }
}
