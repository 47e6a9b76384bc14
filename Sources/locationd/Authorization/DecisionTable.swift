import FoundationEssentials
@_spi(Programs) package import LocationModel

/// Requests and decisions by subject: a pure value. ``Authority`` reads it, the daemon persists it.
package struct DecisionTable: Sendable, Hashable {
    /// The most pending requests of subjects that were never decided about; further ones are refused.
    package static let undecidedLimit = 256
    /// The same for the users of one block of 65,536 uids above those of the machine's own users. A user may have a
    /// range of that many subordinate uids (subuid(5)), which spans two blocks at most, and must leave room for other
    /// users.
    package static let undecidedLimitPerBlock = 64

    /// The most decisions of users about themselves in such a block.
    package static let ownDecisionsPerBlock = 1024
    /// The same over all blocks. With a full table of requests the file then has room for a thousand decisions of
    /// administrators.
    package static let ownDecisionLimit = 2048

    package internal(set) var entries: [Subject: DecisionEntry]
    /// Orders two tables by age; not a part of the content.
    package private(set) var revision = Revision()

    package init(entries: [Subject: DecisionEntry] = [:]) {
        self.entries = entries
    }

    /// How often the file had been read when the table was created, and the number of changes since.
    package struct Revision: Sendable, Hashable, Comparable {
        package var reading = 0
        package var change = 0

        package static func < (lhs: Self, rhs: Self) -> Bool {
            (lhs.reading, lhs.change) < (rhs.reading, rhs.change)
        }
    }

    /// Makes this the table read from the file, later than all tables of earlier readings.
    package mutating func begin(reading: Int) {
        revision = Revision(reading: reading)
    }

    package enum Recording: Equatable {
        /// The request is new, or has new content: it is to be persisted.
        case changed
        /// The same request was made before.
        case known
        /// Too many requests are pending already.
        case refused
    }

    package mutating func record(_ request: AuthorizationRequest, of subject: Subject) -> Recording {
        let old = entries[subject]
        guard old != nil || hasRoom(for: subject) else { return .refused }
        var request = request
        if let asked = old?.request, old?.isPending == true { request.include(asked) }
        var new = old ?? DecisionEntry()
        new.request = request
        // A refused subject may repeat its request often; that is no reason to write the file each time.
        if let old, let asked = old.request, asked.level == request.level, asked.purpose == request.purpose,
            asked.fullAccuracy == request.fullAccuracy, old.pending == new.pending
        {
            return .known
        }
        change(subject) { $0 = new }
        return .changed
    }

    /// Changes the entry of a subject; an empty one is removed.
    mutating func change(_ subject: Subject, _ body: (inout DecisionEntry) -> Void) {
        var entry = entries[subject] ?? DecisionEntry()
        body(&entry)
        entries[subject] = entry == DecisionEntry() ? nil : entry
        revision.change += 1
    }

    private func hasRoom(for subject: Subject) -> Bool {
        let undecided = entries.filter { $0.value.effective == nil }.keys
        guard undecided.count < Self.undecidedLimit else { return false }
        guard let block = Self.block(of: subject) else { return true }
        return undecided.count { Self.block(of: $0) == block } < Self.undecidedLimitPerBlock
    }

    /// Whether a user may decide about itself: the machine's own users always, of others so many. Denials that are not
    /// persisted are counted apart.
    package func hasRoom(for decision: Decision, ofUser uid: UInt32) -> Bool {
        // Who has decided may change that.
        guard entries[.uid(uid)]?.effective?.isTransient != decision.isTransient, let block = Self.block(of: .uid(uid))
        else { return true }
        let blocks = entries.compactMap { subject, entry in
            guard let block = Self.block(of: subject), case .uid(let other) = subject, let decided = entry.effective,
                decided.isTransient == decision.isTransient, decided.by == DecisionEntry.user(other)
            else { return nil as UInt32? }
            return block
        }
        return blocks.count < Self.ownDecisionLimit && blocks.count { $0 == block } < Self.ownDecisionsPerBlock
    }

    /// Whether a user's own denial need not outlive the daemon: no other decision holds, and the user is none of the
    /// machine's own. So a range of subordinate users does not fill the file.
    package func mayForgetDenial(ofUser uid: UInt32) -> Bool {
        entries[.uid(uid)]?.effective?.isTransient ?? true && Self.block(of: .uid(uid)) != nil
    }

    /// - Returns: `nil` for one of the machine's own users, and for a subject that is no user.
    private static func block(of subject: Subject) -> UInt32? {
        guard case .uid(let uid) = subject, uid > UInt32(UInt16.max) else { return nil }
        return uid >> 16
    }

    /// Decides about a subject; a temporary decision ends with that. A user's own denial removes the request that it
    /// answers, whose purpose may be long: denials of many users must leave room in the file.
    package mutating func decide(_ decision: Decision, about subject: Subject) {
        change(subject) { entry in
            entry.decision = decision
            entry.temporary = nil
            if decision.answer == .denied, case .uid(let uid) = subject, decision.by == DecisionEntry.user(uid) {
                entry.request = nil
            }
        }
    }

    /// Removes the request and the decision.
    /// - Returns: the removed entry, or `nil` if there was none.
    package mutating func reset(_ subject: Subject) -> DecisionEntry? {
        guard let entry = entries.removeValue(forKey: subject) else { return nil }
        revision.change += 1
        return entry
    }

    /// Removes the request of a subject, which was answered without a decision about the subject.
    /// - Returns: whether there was one that waited.
    package mutating func forgetRequest(of subject: Subject) -> Bool {
        guard entries[subject]?.isPending == true else { return false }
        change(subject) { $0.request = nil }
        return true
    }

    /// The decision that applies to a client: a denial of its unit or of its user wins; otherwise the unit's decision
    /// precedes the user's.
    package func decision(for principal: Principal) -> (subject: Subject, decision: Decision)? {
        let found = principal.subjects.compactMap { subject in
            entries[subject]?.effective.map { (subject: subject, decision: $0) }
        }
        return found.first { $0.decision.answer == .denied } ?? found.first
    }

    /// True while a request of the client waits for a decision.
    package func isPending(_ principal: Principal) -> Bool { pending(principal) != DecisionEntry.Pending() }

    /// What of the client's request waits for a decision.
    package func pending(_ principal: Principal) -> DecisionEntry.Pending {
        guard let request = entries[principal.subject]?.request else { return DecisionEntry.Pending() }
        // A decision about the user may have answered the request of the unit.
        return DecisionEntry(request: request, decision: decision(for: principal)?.decision).pending
    }

    /// The end of the temporary decision that applies to the client, if one does.
    package func term(for principal: Principal) -> Term? {
        decision(for: principal).flatMap { entries[$0.subject]?.temporary?.term }
    }

    /// Tables with the same entries are equal, whatever their revisions.
    package static func == (lhs: Self, rhs: Self) -> Bool { lhs.entries == rhs.entries }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(entries)
    }
}

/// The file format:
/// `{"checksum":"e3069283","entries":{"uid:1000":{"decision":{…},"request":{…}}},"version":1}`.
///
/// The checksum is over the bytes after its own member (from the quotation mark of the next key to the end), as they
/// are on the disk. So a changed byte never takes effect, and a later JSON encoder need not reproduce the bytes of an
/// earlier one.
extension DecisionTable {
    /// The maximum length of the file, bytes.
    package static let byteLimit = 1_048_576

    package struct CodingFailure: Error, Equatable, CustomStringConvertible {
        package let description: String
    }

    /// - Throws: if the table is too large, or could not be decoded again.
    package func encoded() throws(CodingFailure) -> [UInt8] {
        let bytes = try Self.sealed(encodedContent())
        guard bytes.count <= Self.byteLimit else {
            throw CodingFailure(
                description: "they would need \(bytes.count) of \(Self.byteLimit) bytes; "
                    + "`locctl reset-authorization` makes room")
        }
        // A file that cannot be decoded would make the daemon refuse everyone after its next start.
        _ = try DecisionTable(decoding: bytes)
        return bytes
    }

    /// - Throws: why the bytes are no table, without naming a subject, because every refused client reads it.
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

    /// Prepends the checksum to the content of the file.
    static func sealed(_ content: [UInt8]) -> [UInt8] { Checksum.sealed(content) }

    private func encodedContent() throws(CodingFailure) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            let persisted = StoredTable(entries: entries.compactMapValues(\.persisted))
            return try Array(encoder.encode(persisted).dropFirst())
        } catch {
            throw CodingFailure(description: StoredTable.words(for: error))
        }
    }
}

extension DecisionTable {
    /// Whether a subject may have less permission by this table's file than by another's. Every decision that is new or
    /// gone counts as a revocation, unless it grants everything.
    package func revokes(_ other: DecisionTable) -> Bool {
        Set(entries.keys).union(other.entries.keys).contains { subject in
            let (entry, before) = (entries[subject]?.persisted, other.entries[subject]?.persisted)
            let (mine, former) = (entry?.effective, before?.effective)
            guard mine != former || entry?.decision != before?.decision else { return false }
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
    /// The principal that decided, such as `uid:0`.
    package var by: String
    /// Rounded to milliseconds, as in the file.
    package var time: UTCTime
    /// The user's account name at the time, so that the reuse of a uid is noticed; `nil` if it had none, and for a
    /// denial or a subject that is no user.
    package var account: String?
    /// True for a denial that holds until the daemon ends, because nothing was granted.
    package var isTransient = false

    private enum CodingKeys: CodingKey { case answer, accuracy, by, time, account }

    /// Whether it grants nothing that another grant of the same person does not.
    package func isWithin(_ other: Decision) -> Bool {
        other.by == by && other.answer != .denied && answer != .denied
            && (answer == other.answer || other.answer == .authorizedAlways)
            && (accuracy == other.accuracy || other.accuracy == .full)
    }

    package init(_ answer: Answer, accuracy: AccuracyAuthorization = .full, by: String, time: UTCTime) {
        self.answer = answer
        self.accuracy = accuracy
        self.by = by
        self.time = time.roundedToMilliseconds
    }
}

/// A subject's request.
package struct AuthorizationRequest: Sendable, Hashable, Codable {
    package enum Level: String, Sendable, Hashable, Codable { case whenInUse, always }

    package var level: Level
    /// The client's stated purpose, with unprintable characters escaped; at most 256 bytes before that.
    package var purpose: String?
    /// True if full accuracy is requested of an administrator who has granted, or may grant, less; else `nil`.
    package var fullAccuracy: Bool?
    /// Rounded to milliseconds, as in the file.
    package var time: UTCTime

    package init(_ level: Level, purpose: String?, fullAccuracy: Bool = false, time: UTCTime) {
        self.level = level
        self.purpose = purpose
        self.fullAccuracy = fullAccuracy ? true : nil
        self.time = time.roundedToMilliseconds
    }

    /// Adds what an earlier request asks that is still pending: a program that requests one thing withdraws nothing
    /// that another program of the subject waits for.
    fileprivate mutating func include(_ earlier: AuthorizationRequest) {
        // A repeated request without a purpose keeps the recorded purpose.
        if purpose == nil, level == earlier.level { purpose = earlier.purpose }
        if fullAccuracy == true, earlier.level == .always { level = .always }
        fullAccuracy = fullAccuracy ?? earlier.fullAccuracy
    }
}

/// The request of a subject, the decision about it, or both.
package struct DecisionEntry: Sendable, Hashable, Codable {
    package var request: AuthorizationRequest?
    package var decision: Decision?
    /// Holds in place of ``decision`` until its term ends.
    package var temporary: TemporaryDecision?

    /// What holds now.
    package var effective: Decision? { temporary?.decision ?? decision }

    package init(request: AuthorizationRequest? = nil, decision: Decision? = nil) {
        self.request = request
        self.decision = decision
    }

    /// What of it is in the file; `nil` if nothing is.
    var persisted: DecisionEntry? {
        guard decision?.isTransient == true else { return self }
        var entry = self
        entry.decision = nil
        return entry == DecisionEntry() ? nil : entry
    }

    /// The entry with times rounded as in the file. Finer times, written by hand, would change with the next write.
    var toTheMillisecond: DecisionEntry {
        var entry = self
        if let request { entry.request?.time = request.time.roundedToMilliseconds }
        if let decision { entry.decision?.time = decision.time.roundedToMilliseconds }
        if let temporary { entry.temporary?.decision.time = temporary.decision.time.roundedToMilliseconds }
        return entry
    }

    /// What of a request waits for a decision.
    package struct Pending: Sendable, Hashable {
        /// The level: there is no decision, or it grants less than was requested since.
        package var level = false
        /// Full accuracy: there is no decision, or it grants reduced accuracy and the request is newer.
        package var fullAccuracy = false
    }

    /// What of the request waits for a decision.
    package var pending: Pending {
        guard let request else { return Pending() }
        let wantsFullAccuracy = request.fullAccuracy == true
        guard let decision = effective else { return Pending(level: true, fullAccuracy: wantsFullAccuracy) }
        guard request.time > decision.time, decision.answer != .denied else { return Pending() }
        return Pending(
            level: request.level == .always && decision.answer == .authorizedWhenInUse,
            fullAccuracy: wantsFullAccuracy && decision.accuracy != .full)
    }

    /// True while the request waits for a decision.
    package var isPending: Bool { pending != Pending() }

    /// The term is over: the former decision holds again, and the request that the temporary one answered is forgotten,
    /// so that it is not pending anew.
    mutating func endTerm() {
        if let answered = temporary?.decision.time, let request, request.time <= answered { self.request = nil }
        temporary = nil
    }
}
