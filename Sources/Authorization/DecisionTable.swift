/// Who asked, and what was decided: a pure value; ``Authority`` reads it, the daemon keeps it.
package struct DecisionTable: Sendable, Hashable {
    /// Requests of subjects about whom nothing was ever decided; more are not taken.
    package static let undecidedLimit = 256
    /// The same of the users in one block of 65,536 numbers, above those of a machine's own: a user may have a range of so
    /// many subordinate ones (subuid(5)), which lies in two blocks at most, and must leave room for others.
    package static let undecidedLimitPerBlock = 64

    package private(set) var entries: [Subject: DecisionEntry]
    /// Which of two tables is the later one; no part of what the table says.
    package private(set) var revision = Revision()

    package init(entries: [Subject: DecisionEntry] = [:]) {
        self.entries = entries
    }

    /// How often the file had been read when a table was, and how often that table was changed since.
    package struct Revision: Sendable, Hashable, Comparable {
        package var reading = 0
        package var change = 0

        package static func < (lhs: Self, rhs: Self) -> Bool {
            (lhs.reading, lhs.change) < (rhs.reading, rhs.change)
        }
    }

    /// Makes this the table that was read from the file, later than all of earlier readings.
    package mutating func begin(reading: Int) {
        revision = Revision(reading: reading)
    }

    package enum Recording: Equatable {
        /// It is new, or says something new: it is worth keeping.
        case changed
        /// The same was asked before.
        case known
        /// Too many wait already.
        case refused
    }

    package mutating func record(_ request: AuthorizationRequest, of subject: Subject) -> Recording {
        let old = entries[subject]
        guard old != nil || hasRoom(for: subject) else { return .refused }
        var request = request
        // Who asks again without saying what for has said it before.
        if request.purpose == nil, let asked = old?.request, asked.level == request.level, old?.isPending == true {
            request.purpose = asked.purpose
        }
        let new = DecisionEntry(request: request, decision: old?.decision)
        // Whoever was refused may ask again and again; that is no reason to write as often.
        if let old, let asked = old.request, asked.level == request.level, asked.purpose == request.purpose,
            old.isPending == new.isPending
        {
            return .known
        }
        entries[subject] = new
        revision.change += 1
        return .changed
    }

    private func hasRoom(for subject: Subject) -> Bool {
        let undecided = entries.filter { $0.value.decision == nil }.keys
        guard undecided.count < Self.undecidedLimit else { return false }
        guard let block = Self.block(of: subject) else { return true }
        return undecided.count { Self.block(of: $0) == block } < Self.undecidedLimitPerBlock
    }

    /// - Returns: `nil` for a user of the machine's own, and for what is no user.
    private static func block(of subject: Subject) -> UInt32? {
        guard case .uid(let uid) = subject, uid > UInt32(UInt16.max) else { return nil }
        return uid >> 16
    }

    package mutating func decide(_ decision: Decision, about subject: Subject) {
        entries[subject, default: DecisionEntry()].decision = decision
        revision.change += 1
    }

    /// Forgets what was asked and decided.
    /// - Returns: what is forgotten, or `nil` if nothing was known.
    package mutating func reset(_ subject: Subject) -> DecisionEntry? {
        guard let entry = entries.removeValue(forKey: subject) else { return nil }
        revision.change += 1
        return entry
    }

    /// The decision that holds for a client: a denial of its unit or of its user wins, then the unit's goes before the
    /// user's.
    package func decision(for principal: Principal) -> (subject: Subject, decision: Decision)? {
        let found = principal.subjects.compactMap { subject in
            entries[subject]?.decision.map { (subject: subject, decision: $0) }
        }
        return found.first { $0.decision.answer == .denied } ?? found.first
    }

    /// True while a request of the client's waits for a decision.
    package func isPending(_ principal: Principal) -> Bool {
        guard let request = entries[principal.subject]?.request else { return false }
        // Its user's decision may have answered what its unit asked.
        return DecisionEntry(request: request, decision: decision(for: principal)?.decision).isPending
    }

    /// Tables are equal that say the same.
    package static func == (lhs: Self, rhs: Self) -> Bool { lhs.entries == rhs.entries }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(entries)
    }
}
