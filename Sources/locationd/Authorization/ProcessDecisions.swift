@_spi(Programs) package import LocationModel

/// A grant to one process.
package struct ProcessDecision: Sendable, Hashable {
    package let decision: Decision
    /// `nil` if it has no end but that of the process.
    package let term: Term?

    package init(_ decision: Decision, for term: Term? = nil) { (self.decision, self.term) = (decision, term) }
}

/// The grants to single processes. They end with the process, or when another program begins in it; a second after its
/// last connection has closed; with their term; and by a later decision about the user. None is in a file.
///
/// It does no I/O but by the processes themselves, and belongs to the event loop.
package final class ProcessDecisions {
    /// The most of one user, and of all.
    package static let (perUser, limit) = (16, 256)
    /// Seconds for which a decision outlasts the last connection: a bridge opens a new one for a changed request.
    package static let grace = 1.0
    /// Seconds between two looks at the processes, for those whose end or change is not reported.
    package static let interval = 0.5

    package struct Entry {
        package let uid: UInt32
        package let process: any DecidableProcess
        /// What the program calls itself.
        package let name: String
        package fileprivate(set) var image: ProcessImage
        package let holding: ProcessDecision
        /// When its last connection closed; `nil` while there is one.
        fileprivate var closed: BootInstant?

        package var pid: Int32 { process.pid }
        package var isOwn: Bool { holding.decision.by == DecisionEntry.user(uid) }

        package init(
            uid: UInt32, process: any DecidableProcess, name: String, image: ProcessImage, holding: ProcessDecision
        ) {
            (self.uid, self.process, self.name, self.image, self.holding) = (uid, process, name, image, holding)
        }

        fileprivate func isAbout(_ other: any DecidableProcess, of uid: UInt32) -> Bool {
            // Two processes that run and have one number are the same one.
            self.uid == uid && pid == other.pid && !process.hasEnded && !other.hasEnded
        }

        /// Whether it still holds, by the program that the process runs now.
        fileprivate mutating func followsProgram() -> Bool {
            guard !process.hasEnded, let now = process.image, now.mayFollow(image) else { return false }
            image = now
            return true
        }

        /// Seconds until its term or the time after its last connection ends; `nil` if neither runs.
        fileprivate func remaining(at moment: Term.Moment) -> Double? {
            let rests = [
                holding.term?.remaining(at: moment),
                closed.map { Self.rest(of: $0, at: moment) },
            ]
            return rests.compactMap(\.self).min()
        }

        private static func rest(of closed: BootInstant, at moment: Term.Moment) -> Double {
            max(0, ProcessDecisions.grace - moment.now.seconds(since: closed))
        }
    }

    package private(set) var entries: [Entry] = []
    private var looked: BootInstant?

    package init() {}

    package var isEmpty: Bool { entries.isEmpty }

    package func entry(of uid: UInt32, pid: Int32) -> Entry? { entries.first { $0.uid == uid && $0.pid == pid } }

    /// What holds for a program in a process, by the user of that program.
    package func decision(about process: any DecidableProcess, of uid: UInt32) -> ProcessDecision? {
        guard let index = entries.firstIndex(where: { $0.isAbout(process, of: uid) }),
            entries[index].followsProgram()
        else { return nil }
        return entries[index].holding
    }

    /// Adds a decision, in place of the former one about the process.
    /// - Returns: false if there are too many.
    package func add(_ entry: Entry) -> Bool {
        var others = entries
        others.removeAll { $0.uid == entry.uid && $0.pid == entry.pid }
        guard others.count < Self.limit, others.count(where: { $0.uid == entry.uid }) < Self.perUser else {
            return false
        }
        entries = others + [entry]
        return true
    }

    /// Says whether a process has a connection, when one was made or closed.
    package func setConnected(_ isConnected: Bool, pid: Int32, of uid: UInt32, at now: BootInstant) {
        guard let index = entries.firstIndex(where: { $0.uid == uid && $0.pid == pid }) else { return }
        entries[index].closed = isConnected ? nil : entries[index].closed ?? now
    }

    /// Whether it is time to call ``endDue(at:unless:)``.
    package func isDue(at moment: Term.Moment) -> Bool {
        guard !entries.isEmpty else { return false }
        guard let looked, moment.now.seconds(since: looked) < Self.interval else { return true }
        return entries.contains { $0.remaining(at: moment) == 0 }
    }

    /// Seconds until the next look; `nil` if there is nothing to look at.
    package func nextLook(at moment: Term.Moment) -> Double? {
        guard !entries.isEmpty else { return nil }
        return entries.compactMap { $0.remaining(at: moment) }.min().map { min($0, Self.interval) } ?? Self.interval
    }

    /// Ends what is over.
    ///
    /// - Parameter isReplaced: whether an entry holds no more by other decisions.
    package func endDue(at moment: Term.Moment, unless isReplaced: (Entry) -> Bool = { _ in false }) -> [Entry] {
        looked = moment.now
        return remove { entry in
            entry.remaining(at: moment) == 0 || !entry.followsProgram() || isReplaced(entry)
        }
    }

    /// Ends the decisions about a user's processes, because of a decision about the user.
    ///
    /// - Parameter onlyOwn: whether those of an administrator stay.
    package func end(of uid: UInt32, onlyOwn: Bool = false) -> [Entry] {
        remove { $0.uid == uid && (!onlyOwn || $0.isOwn) }
    }

    private func remove(_ isOver: (inout Entry) -> Bool) -> [Entry] {
        var (kept, ended): ([Entry], [Entry]) = ([], [])
        for var entry in entries {
            if isOver(&entry) { ended.append(entry) } else { kept.append(entry) }
        }
        entries = kept
        return ended
    }
}
