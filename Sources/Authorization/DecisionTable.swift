import FoundationEssentials
package import LocationModel

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

/// The table as a file:
/// `{"checksum":"e3069283","entries":{"uid:1000":{"decision":{…},"request":{…}}},"version":1}`.
///
/// The checksum is over the bytes after its own member (from the quotation mark of the next key to the end), as they
/// stand on the disk: no byte that has changed there decides anything, and no later encoder of JSON has to repeat
/// what an earlier one wrote.
extension DecisionTable {
    /// The longest file, bytes.
    package static let byteLimit = 1_048_576

    package struct CodingFailure: Error, Equatable, CustomStringConvertible {
        package let description: String
    }

    /// - Throws: that the table is too large, or has something in it that could not be read again.
    package func encoded() throws(CodingFailure) -> [UInt8] {
        let bytes = try Self.sealed(encodedContent())
        guard bytes.count <= Self.byteLimit else {
            throw CodingFailure(
                description: "they would take \(bytes.count) bytes of the \(Self.byteLimit) there are; "
                    + "`locctl reset-authorization` makes room")
        }
        // What cannot be read again would have everybody refused from the next start on.
        _ = try DecisionTable(decoding: bytes)
        return bytes
    }

    /// - Throws: why the bytes are no table, in words that name nobody: everyone who is refused reads them.
    package init(decoding bytes: [UInt8]) throws(CodingFailure) {
        guard !bytes.isEmpty else { throw CodingFailure(description: "the file is empty") }
        guard bytes.count <= Self.byteLimit else {
            throw CodingFailure(description: "the file is longer than \(Self.byteLimit) bytes")
        }
        guard let content = Checksum.unsealed(bytes) else {
            throw CodingFailure(description: "its checksum is not that of its entries")
        }
        let file: StoredTable
        do {
            file = try JSONDecoder().decode(StoredTable.self, from: Data(content))
        } catch {
            throw CodingFailure(description: StoredTable.words(for: error))
        }
        self.init(entries: file.entries)
    }

    /// Puts the checksum before what follows it in the file.
    static func sealed(_ content: [UInt8]) -> [UInt8] { Checksum.sealed(content) }

    private func encodedContent() throws(CodingFailure) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return try Array(encoder.encode(StoredTable(entries: entries)).dropFirst())
        } catch {
            throw CodingFailure(description: StoredTable.words(for: error))
        }
    }
}

extension DecisionTable {
    /// Whether somebody may know less by this table than by another, or may for all that is known: every decision that is
    /// new, or gone, is taken for that unless it grants everything.
    package func revokes(_ other: DecisionTable) -> Bool {
        Set(entries.keys).union(other.entries.keys).contains { subject in
            let (mine, former) = (entries[subject]?.decision, other.entries[subject]?.decision)
            guard mine != former else { return false }
            return mine?.answer != .authorizedAlways || mine?.accuracy != .full
        }
    }
}

/// What an administrator decided about a subject.
package struct Decision: Sendable, Hashable, Codable {
    package enum Answer: String, Sendable, Hashable, Codable {
        case denied, authorizedWhenInUse, authorizedAlways
    }

    package var answer: Answer
    package var accuracy: AccuracyAuthorization
    /// Who decided, such as `uid:0`.
    package var by: String
    /// To the millisecond, as it is kept.
    package var time: UTCTime
    /// The name that the user had then whom it is about, so that a number given to another is noticed; `nil` if it had
    /// none, if it is about no user, or a denial.
    package var account: String?

    package init(_ answer: Answer, accuracy: AccuracyAuthorization = .full, by: String, time: UTCTime) {
        self.answer = answer
        self.accuracy = accuracy
        self.by = by
        self.time = time.roundedToMilliseconds
    }
}

/// What a subject asked for.
package struct AuthorizationRequest: Sendable, Hashable, Codable {
    package enum Level: String, Sendable, Hashable, Codable { case whenInUse, always }

    package var level: Level
    /// What for, in the asker's own words, made printable; at most 256 bytes before that.
    package var purpose: String?
    /// To the millisecond, as it is kept.
    package var time: UTCTime

    package init(_ level: Level, purpose: String?, time: UTCTime) {
        self.level = level
        self.purpose = purpose
        self.time = time.roundedToMilliseconds
    }
}

/// What is known about one subject: what it asked, what was decided, or both.
package struct DecisionEntry: Sendable, Hashable, Codable {
    package var request: AuthorizationRequest?
    package var decision: Decision?

    package init(request: AuthorizationRequest? = nil, decision: Decision? = nil) {
        self.request = request
        self.decision = decision
    }

    /// The same with times as they are kept. Finer ones, written by hand, would be others after the next writing.
    var toTheMillisecond: DecisionEntry {
        var entry = self
        if let request { entry.request?.time = request.time.roundedToMilliseconds }
        if let decision { entry.decision?.time = decision.time.roundedToMilliseconds }
        return entry
    }

    /// True while the request waits for a decision: none was made, or it asks for more than was granted.
    package var isPending: Bool {
        guard let request else { return false }
        guard let decision else { return true }
        return request.level == .always && decision.answer == .authorizedWhenInUse && request.time > decision.time
    }
}
