import LocationModel

/// Follows what happens in its order, and keeps the books that the daemon must agree with.
final class ReferenceModel {
    enum Entry {
        case message(Int, [UInt8], at: BootInstant)
        case fellBehind(Int)
        case drained(Int)
        case closed(Int)
        case demand(Int)
        /// The daemon empties its mailbox.
        case read([ShadowMailbox.Entry], lost: Int)
        /// An administrator injects a location.
        case injected(Location)
    }

    struct Fix {
        let location: Location
        let isFollowed: Bool
        /// Seconds the machine was awake by then.
        let awake: Double
    }

    var receivers = ExpectedReceivers()
    private(set) var demand = 0
    private(set) var demandSince = 0.0
    private var demandChanged = 0.0
    var fixes: [Int64: Fix] = [:]
    var lastSequence: Int64 = 0
    private(set) var count = 0
    /// The newest fix of a followed receiver, and when it came.
    var last: Location?
    var lastFollowed: Fix?
    /// What each client was told, in short (FNV-1a: Fowler, Noll, Vo).
    var traces: [Int: UInt64] = [:]
    /// What those who know roughly were told of a fix, and who has a pace of its own.
    var rough: [Int64: Message.Place] = [:]
    var paced: [String: Location] = [:]

    private var unread: [ShadowMailbox.Entry] = []
    private var injected: Location?
    private var overflow = 0
    private var leastDemand = 0
    /// What the witnesses saw in the journal at hand.
    private var seen: [Int64: (place: Message.Place, isFollowed: Bool)] = [:]
    private var memo: (bytes: [UInt8], message: Message?) = ([], nil)

    /// Another run of the daemon.
    func begin(last: Location?) {
        receivers = ExpectedReceivers()
        (demand, leastDemand, overflow, unread, injected) = (0, 0, 0, [], nil)
        (self.last, lastFollowed, fixes, rough, paced) = (last, nil, [:], [:], [:])
        isFirst = true
    }

    /// The first fix of a run may skip numbers.
    private var isFirst = true

    func take(_ journal: [Entry], in world: World) {
        guard !journal.isEmpty else { return }
        let guests = Dictionary(world.guests.map { ($0.number, $0) }) { $1 }
        let messages = journal.map(parsed)
        seen = [:]
        var followed: Set<Int64> = []
        for (entry, message) in zip(journal, messages) {
            guard case .message(let number, _, _) = entry, let place = message?.location else { continue }
            if number == world.followedWitness?.number { followed.insert(place.sequence) }
            if number == world.everyWitness?.number { seen[place.sequence] = (place, false) }
        }
        for sequence in followed { seen[sequence]?.isFollowed = true }
        for (entry, message) in zip(journal, messages) {
            switch entry {
            case .message(let number, let bytes, let time):
                guard let guest = guests[number] else { continue }
                guard let message else {
                    world.fault("client \(number) gets what is no reply: \(String(decoding: bytes, as: UTF8.self))")
                    continue
                }
                for place in message.places where place.sequence > lastSequence { begin(place.sequence, in: world) }
                take(message, for: guest, at: time, in: world)
            case .fellBehind(let number): guests[number]?.watch?.isBehind = true
            case .drained(let number): guests[number]?.watch?.isBehind = false
            case .closed(let number): close(guests[number], in: world)
            case .demand(let count): change(to: count, in: world)
            case .read(let letters, let lost): read(letters, lost: lost, in: world)
            case .injected(let location): injected = location
            }
        }
        skip(unread[...], in: world)
        unread = []
        settleDebts(in: world)
        for sequence in seen.keys.sorted() where sequence > lastSequence {
            world.fault("fix \(sequence) is not among those told")
        }
    }

    private func parsed(_ entry: Entry) -> Message? {
        guard case .message(_, let bytes, _) = entry else { return nil }
        if memo.bytes != bytes { memo = (bytes, Message(bytes)) }
        return memo.message
    }

    private func close(_ guest: Guest?, in world: World) {
        world.neededUntil = world.time.awake
        guest?.watch = nil
        guest?.monitor = nil
        guest?.asked = []
    }

    /// True if the supervisor has had its time to follow.
    func demandIsOld(_ awake: Double) -> Bool { awake - demandChanged > 0.02 }

    private func change(to count: Int, in world: World) {
        if (demand == 0) != (count == 0) { demandSince = world.time.awake }
        demand = count
        demandChanged = world.time.awake
        leastDemand = min(leastDemand, count)
        receivers.stop(from: count)
    }

    // MARK: Fixes

    private func read(_ letters: [ShadowMailbox.Entry], lost: Int, in world: World) {
        skip(unread[...], in: world)
        unread = letters
        leastDemand = demand
        guard lost > 0, world.isEnabled, demand > 0 else { return }
        overflow += lost
        for guest in world.guests { guest.watch?.overflow(lost) }
    }

    /// A fix got this number: finds out which it was, and who is owed it.
    private func begin(_ sequence: Int64, in world: World) {
        guard let (place, isFollowed) = seen[sequence] else {
            return world.fault("fix \(sequence) was told, and not to who sees every one")
        }
        settleDebts(in: world)
        let least = lastSequence + 1 + Int64(overflow)
        if isFirst ? sequence < least : sequence != least {
            world.fault("fix \(sequence) comes after \(lastSequence), \(overflow) lost")
        }
        (isFirst, overflow, lastSequence) = (false, 0, sequence)
        guard var fix = find(place, in: world) else { return world.fault("fix \(sequence) was never told by a source") }
        fix.location.sequence = sequence
        let complaint = receivers.accept(fix.location, of: fix.key, isFollowed: isFollowed)
        if let complaint { world.fault(complaint) }
        let known = Fix(location: fix.location, isFollowed: isFollowed, awake: world.time.awake)
        fixes[sequence] = known
        count += 1
        fixes[sequence - 20_000] = nil
        if isFollowed { (last, lastFollowed) = (fix.location, known) }
        for guest in world.guests { guest.watch?.see(fix.location, isFollowed: isFollowed) }
    }

    private func find(_ place: Message.Place, in world: World) -> (location: Location, key: ExpectedReceivers.Key)? {
        if let location = injected, place.source == "simulate", place.matches(location) {
            injected = nil
            return (location, .init(rank: -1, device: nil))
        }
        for (index, letter) in unread.enumerated() {
            guard case .fix(let location) = letter.event, place.matches(location) else { continue }
            skip(unread[..<index], in: world)
            unread.removeFirst(index + 1)
            let key = ExpectedReceivers.Key(rank: letter.rank, device: location.source.device)
            if receivers.isCertain, receivers.isRepeat(location, of: key) {
                world.fault("an exact repeat is told as fix \(place.sequence)")
            }
            return (location, key)
        }
        return nil
    }

    /// What the daemon has made no fix of: there must be a reason.
    private func skip(_ letters: ArraySlice<ShadowMailbox.Entry>, in world: World) {
        for letter in letters {
            switch letter.event {
            case .noFix(let device) where world.isEnabled && letter.rank < demand:
                receivers.loseFix(of: .init(rank: letter.rank, device: device))
            case .fix(let location):
                let key = ExpectedReceivers.Key(rank: letter.rank, device: location.source.device)
                guard world.isEnabled, letter.rank < leastDemand, receivers.isCertain,
                    !receivers.isRepeat(location, of: key)
                else { continue }
                world.fault("a fix of \(key) came to nothing")
            default: break
            }
        }
    }

    private func settleDebts(in world: World) {
        for guest in world.guests where !guest.isGone && !guest.isLawless {
            if let owed = guest.watch?.owed { world.fault("client \(guest.number) did not get fix \(owed)") }
        }
    }
}

extension Message.Place {
    fileprivate func matches(_ location: Location) -> Bool {
        abs(latitude - location.coordinate.latitude) < 1e-9 && abs(longitude - location.coordinate.longitude) < 1e-9
            && abs(monotonicTime - location.monotonicTime.seconds) < 1e-6 && device == location.source.device
            && abs((accuracy ?? -1) - (location.horizontalAccuracy ?? -1)) < 1e-6
            && satellites == location.satellitesUsed
            && timestamp == location.timestamp.map { "\($0)" }
    }
}
