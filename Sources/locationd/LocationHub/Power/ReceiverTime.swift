@_spi(Programs) package import LocationModel

/// Whose requests keep the receivers on: the time in which any source runs, divided evenly among the watches, monitors
/// and requests that need one at that time.
///
/// Each party has an account, the number of its client. What a party would have that had been there from the beginning
/// is summed once for all (``perParty``), so that a change costs the same however many parties there are.
struct ReceiverTime {
    enum Party: Hashable {
        /// A watch or a monitor.
        case watch(WatchID)
        case request(RequestID)
    }

    private struct Account {
        /// Without the present ``ReceiverTime/perParty`` of its parties.
        var seconds = 0.0
        var parties = 0
    }

    /// Seconds in which a source ran.
    private(set) var total = 0.0
    /// The part of them in which no client needed one: after the last demand ended, and to refresh the last location.
    private(set) var unclaimed = 0.0
    private var perParty = 0.0
    private var isOn = false
    private var updated: BootInstant
    private var parties: [Party: Int?] = [:]
    private var accounts: [Int: Account] = [:]
    /// Changes since the last update, in their order. They apply from the next update on, which has the time.
    private var changes: [(party: Party, account: Int?, isIn: Bool)] = []
    /// The monitors and watches that wait for a fix, of those that do not need the receivers all the time.
    private(set) var waiting: Set<WatchID> = []

    init(at now: BootInstant) {
        updated = now
    }

    /// A party needs the receivers from the next update on, or needs them no more.
    /// - Parameter account: `nil` for a party whose share nobody wants to know.
    mutating func set(_ party: Party, account: Int? = nil, needsReceivers: Bool) {
        changes.append((party, account, needsReceivers))
        if case .watch(let id) = party, !needsReceivers { waiting.remove(id) }
    }

    /// Of the monitors and watches that do not need the receivers all the time, those that wait for a fix are parties.
    mutating func setWaiting(_ accounts: [WatchID: Int?]) {
        for id in waiting where accounts[id] == nil { set(.watch(id), needsReceivers: false) }
        for (id, account) in accounts where !waiting.contains(id) {
            set(.watch(id), account: account, needsReceivers: true)
        }
        waiting = Set(accounts.keys)
    }

    /// Divides the time since the last update among those that were parties then, and applies the changes.
    /// - Parameter isOn: whether a source runs from now on.
    mutating func update(isOn: Bool, at now: BootInstant) {
        let elapsed = max(0, now.seconds(since: updated))
        updated = max(updated, now)
        if self.isOn {
            total += elapsed
            if parties.isEmpty { unclaimed += elapsed } else { perParty += elapsed / Double(parties.count) }
        }
        self.isOn = isOn
        guard !changes.isEmpty else { return }
        for change in changes {
            if change.isIn { add(change.party, to: change.account) } else { remove(change.party) }
        }
        changes.removeAll(keepingCapacity: true)
    }

    private mutating func add(_ party: Party, to account: Int?) {
        remove(party)
        parties[party] = .some(account)
        guard let account else { return }
        accounts[account, default: Account()].parties += 1
        accounts[account, default: Account()].seconds -= perParty
    }

    private mutating func remove(_ party: Party) {
        guard let account = parties.removeValue(forKey: party), let account else { return }
        accounts[account]?.parties -= 1
        accounts[account]?.seconds += perParty
    }

    /// An account's share so far, seconds.
    func seconds(of account: Int) -> Double {
        guard let account = accounts[account] else { return 0 }
        // A difference of sums may come out a rounding error below 0.
        return max(0, account.seconds + Double(account.parties) * perParty)
    }

    /// Removes an account that has no parties any more.
    mutating func close(_ account: Int) {
        accounts[account] = nil
    }
}

/// What the hub reports of it.
extension Hub {
    /// Seconds in which a source ran, and the part of them in which no client needed one.
    package mutating func receiverTime(at now: BootInstant) -> (total: Double, unclaimed: Double) {
        updateReceiverTime(at: now)
        return (receiverTime.total, receiverTime.unclaimed)
    }

    /// A client's share of the time in which a source ran, seconds.
    /// - Parameter account: the number that the caller gave with the client's watches, monitors and requests.
    package mutating func receiverTime(of account: Int, at now: BootInstant) -> Double {
        updateReceiverTime(at: now)
        return receiverTime.seconds(of: account)
    }

    /// The final share of a client that has left; the number may then be used for another.
    package mutating func closeAccount(_ account: Int, at now: BootInstant) -> Double {
        defer { receiverTime.close(account) }
        return receiverTime(of: account, at: now)
    }

    /// Follows a change of the sources or of the clients' needs.
    mutating func updateReceiverTime(at now: BootInstant) {
        if monitors.search.isSearching || rests.search.isSearching {
            var waiting = rests.intervals.waiting(at: now)
            if monitors.search.isSearching {
                for id in monitors.due(at: now) { waiting[id] = .some(watches[id]?.account) }
            }
            receiverTime.setWaiting(waiting)
        } else if !receiverTime.waiting.isEmpty {
            receiverTime.setWaiting([:])
        }
        receiverTime.update(isOn: sources.running > 0, at: now)
    }
}

extension MonitorTable {
    /// The monitors that need a fix now.
    fileprivate func due(at now: BootInstant) -> [WatchID] {
        running.indices.filter { running[$0]?.due.map { $0 <= now } ?? false }.map(WatchID.init(slot:))
    }
}
