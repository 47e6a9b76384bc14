@_spi(Programs) import LocationModel
import ReferenceModel

/// Converts what goes through the simulated machine, in its order, into the terms of the reference model.
final class WireReader {
    enum Entry {
        case message(Int, [UInt8], at: BootInstant)
        case fellBehind(Int)
        case drained(Int)
        case closed(Int)
        case demand(Int)
        /// The sources of these ranks are spared.
        case spared(Set<Int>, at: BootInstant)
        /// The daemon empties its mailbox.
        case read([ExpectedMailbox.Entry], lost: Int, at: BootInstant)
        /// An administrator injects a location.
        case injected(Location)
    }

    let model: ExpectedService
    /// A hash of what each client was sent (FNV-1a: Fowler, Noll, Vo).
    var traces: [Int: UInt64] = [:]

    private var unread: [ExpectedMailbox.Entry] = []
    /// When the daemon read them from its mailbox.
    private var readTime = BootInstant(seconds: 0)
    private var injected: Location?
    private var leastDemand = 0
    /// The ranks that were spared at any time since the mailbox was read.
    private var spared: Set<Int> = []
    /// What the observers were sent, by the journal that is read.
    private var seen: [Int64: (place: Message.Place, isFollowed: Bool)] = [:]
    var estimates = EstimateCheck()
    private var memo: (bytes: [UInt8], message: Message?) = ([], nil)

    init(model: ExpectedService) {
        self.model = model
    }

    /// Another run of the daemon.
    func begin(last: Location?, isEnabled: Bool) {
        (leastDemand, spared, unread, injected) = (0, [], [], nil)
        let predictions = estimates.predictions
        estimates = EstimateCheck()
        estimates.predictions = predictions
        model.begin(last: last, isEnabled: isEnabled)
    }

    func read(_ journal: [Entry], in machine: SimulatedMachine) {
        guard !journal.isEmpty else { return }
        let clients = Dictionary(machine.clients.map { ($0.number, $0) }) { $1 }
        let messages = journal.map(parsed)
        seen = [:]
        var followed: Set<Int64> = []
        for (entry, message) in zip(journal, messages) {
            guard case .message(let number, _, _) = entry, let place = message?.location else { continue }
            if number == machine.observer?.number { followed.insert(place.known.sequence) }
            if number == machine.everySourceObserver?.number { seen[place.known.sequence] = (place, false) }
        }
        for sequence in followed { seen[sequence]?.isFollowed = true }
        for (entry, message) in zip(journal, messages) {
            switch entry {
            case .message(let number, let bytes, let time):
                guard let client = clients[number] else { continue }
                guard let message else {
                    machine.fault("client \(number) gets what is no reply: \(String(decoding: bytes, as: UTF8.self))")
                    continue
                }
                if clients[number] === machine.estimateObserver, message.location?.estimateBasis == "predicted" {
                    model.skipNumber(message.location?.known.sequence ?? 0)
                }
                for place in message.places where place.known.sequence > model.lastSequence {
                    identifyFix(place.known.sequence, in: machine)
                }
                receive(message, for: client, at: time, in: machine)
            case .fellBehind(let number): clients[number]?.expected.isBehind = true
            case .drained(let number): clients[number]?.expected.isBehind = false
            case .closed(let number): close(clients[number], in: machine)
            case .demand(let count):
                model.changeDemand(to: count, at: machine.time.awake)
                leastDemand = min(leastDemand, count)
            case .spared(let ranks, let time):
                model.spareSources(ranks, at: time)
                spared.formUnion(ranks)
            case .read(let entries, let lost, let time): readMailbox(entries, lost: lost, at: time)
            case .injected(let location): injected = location
            }
        }
        ignore(unread[...])
        unread = []
        machine.noteWhoIsGone()
        let isTimely = machine.time.awake > machine.uncertainUntil
        model.checkDebts(ofReaders: true, at: isTimely ? machine.time.now : nil)
        for sequence in seen.keys.sorted() where sequence > model.lastSequence {
            machine.fault("fix \(sequence) is not among those told")
        }
    }

    private func parsed(_ entry: Entry) -> Message? {
        guard case .message(_, let bytes, _) = entry else { return nil }
        if memo.bytes != bytes { memo = (bytes, Message(bytes)) }
        return memo.message
    }

    private func close(_ client: SimulatedClient?, in machine: SimulatedMachine) {
        model.demand.extendNeed(to: machine.time.awake)
        client?.watch = nil
        client?.monitor = nil
        client?.asked = []
    }

    // MARK: Fixes

    private func readMailbox(_ entries: [ExpectedMailbox.Entry], lost: Int, at now: BootInstant) {
        ignore(unread[...])
        unread = entries
        readTime = now
        (leastDemand, spared) = (model.demand.count, model.spared)
        model.loseFixes(lost)
    }

    /// A fix got this number: finds out which it was.
    private func identifyFix(_ sequence: Int64, in machine: SimulatedMachine) {
        guard let (place, isFollowed) = seen[sequence] else {
            return machine.fault("fix \(sequence) was told, and not to the observer of every source")
        }
        machine.noteWhoIsGone()
        model.checkDebts(ofReaders: false)
        guard let fix = find(place) else { return machine.fault("fix \(sequence) was never told by a source") }
        model.numberFix(
            fix.location, of: fix.key, as: sequence, isFollowed: isFollowed,
            implausible: place.implausible.map { Implausibility(rawValue: $0) ?? .unknown },
            isTimely: machine.time.awake > machine.uncertainUntil)
    }

    private func find(_ place: Message.Place) -> (location: Location, key: ExpectedReceivers.Key)? {
        if let location = injected, place.source == "simulate", place.matches(location) {
            injected = nil
            return (location, .init(rank: -1, device: nil))
        }
        for (index, entry) in unread.enumerated() {
            guard case .fix(let location) = entry.event, place.matches(location) else { continue }
            ignore(unread[..<index])
            unread.removeFirst(index + 1)
            return (location, ExpectedReceivers.Key(rank: entry.rank, device: location.source.device))
        }
        return nil
    }

    /// What the daemon has made no fix of.
    private func ignore(_ entries: ArraySlice<ExpectedMailbox.Entry>) {
        for entry in entries {
            switch entry.event {
            case .noFix(let device)
            where model.isEnabled && entry.rank < model.demand.count && !model.spared.contains(entry.rank):
                model.receivers.loseFix(of: .init(rank: entry.rank, device: device), at: readTime)
            case .fix(let location) where !spared.contains(entry.rank):
                let key = ExpectedReceivers.Key(rank: entry.rank, device: location.source.device)
                model.ignoreFix(location, of: key, whileRunning: leastDemand)
            default: break
            }
        }
    }
}

extension Message.Place {
    fileprivate func matches(_ location: Location) -> Bool {
        abs(known.latitude - location.coordinate.latitude) < 1e-9
            && abs(known.longitude - location.coordinate.longitude) < 1e-9
            && abs(known.monotonicTime - location.monotonicTime.seconds) < 1e-6 && device == location.source.device
            && abs((known.accuracy ?? -1) - (location.horizontalAccuracy ?? -1)) < 1e-6
            && satellites == location.satellitesUsed && basis == location.accuracyBasis?.rawValue
            && abs((hdop ?? -1) - (location.hdop ?? -1)) < 1e-6
            && timestamp == location.timestamp.map { "\($0)" }
    }
}
