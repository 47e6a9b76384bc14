@_spi(Programs) package import LocationModel

/// How long a temporary decision still holds.
///
/// While the daemon runs, the clock that counts through suspend decides, which nobody can set. A restarted daemon has
/// only what was written: it takes the least of what either clock leaves, and nothing if the wall clock is before the
/// term's beginning. So a wall clock that was set back never lengthens a term; one that was set forward may shorten it.
///
/// After a reboot the moments of the former boot mean nothing; they cannot shorten the term wrongly, because the
/// present boot is younger than the term: its clock reaches the written deadline only after the end.
package struct Term: Sendable, Hashable, Codable {
    /// The longest term: a year, seconds.
    package static let limit = 31_536_000.0
    /// Seconds by which the wall clock may seem to be before the beginning, because times are rounded.
    private static let tolerance = 1.0

    /// Seconds, more than 0: the whole term, or what a restart left of it.
    package let duration: Double
    /// The end on the clock that counts through suspend.
    package let deadline: BootInstant
    /// The end on the wall clock, rounded to milliseconds, as in the file.
    package let until: UTCTime
    /// True if the term was read from the file, so that the wall clock counts too.
    private var isRestored = false

    private enum CodingKeys: CodingKey { case duration, deadline, until }

    /// A term that begins now.
    ///
    /// - Parameter duration: seconds, more than 0 and at most ``limit``.
    package init(duration: Double, at moment: Moment) {
        self.duration = duration
        deadline = moment.now.advanced(bySeconds: duration)
        until = moment.utc.advanced(bySeconds: duration).roundedToMilliseconds
    }

    /// What a restarted daemon makes of the term.
    ///
    /// - Returns: `nil` if it has ended.
    package func resumed(at moment: Moment) -> Term? {
        let begin = until.seconds(since: moment.utc) - duration
        guard begin <= Self.tolerance else { return nil }
        var rest = min(duration, until.seconds(since: moment.utc))
        if moment.now >= deadline.advanced(bySeconds: -duration) {
            rest = min(rest, deadline.seconds(since: moment.now))
        }
        guard rest > 0 else { return nil }
        var term = Term(duration: rest, at: moment)
        term.isRestored = true
        return term
    }

    /// The end on the wall clock, if that counts.
    var wallEnd: UTCTime? { isRestored ? until : nil }

    /// Seconds until the end, 0 if it has come.
    package func remaining(at moment: Moment) -> Double {
        let rest = deadline.seconds(since: moment.now)
        return max(0, isRestored ? min(rest, until.seconds(since: moment.utc)) : rest)
    }

    /// What both clocks show.
    package struct Moment: Sendable, Hashable {
        /// The clock that counts through suspend.
        package var now: BootInstant
        /// The wall clock.
        package var utc: UTCTime

        package init(now: BootInstant, utc: UTCTime) {
            self.now = now
            self.utc = utc
        }
    }
}

/// A decision that ends by itself; the one it covers holds again then.
package struct TemporaryDecision: Sendable, Hashable, Codable {
    package var decision: Decision
    package var term: Term

    package init(_ decision: Decision, for term: Term) {
        self.decision = decision
        self.term = term
    }
}

extension DecisionTable {
    /// Decides for a while about a subject, in place of its present temporary decision; the other one is kept.
    package mutating func decide(_ decision: Decision, about subject: Subject, for term: Term) {
        change(subject) { $0.temporary = TemporaryDecision(decision, for: term) }
    }

    /// When the next term ends, in seconds; `nil` if there is none.
    package func nextEnd(at moment: Term.Moment) -> Double? {
        entries.values.lazy.compactMap { $0.temporary?.term.remaining(at: moment) }.min()
    }

    /// When the next term ends on the wall clock; `nil` if none does.
    package var nextWallEnd: UTCTime? { entries.values.lazy.compactMap { $0.temporary?.term.wallEnd }.min() }

    /// Ends the terms that are over, and forgets the requests that they answered.
    ///
    /// - Returns: whose terms have ended, and what they had.
    package mutating func endTerms(at moment: Term.Moment) -> [(subject: Subject, decision: Decision)] {
        endTerms { $0.remaining(at: moment) > 0 ? $0 : nil }
    }

    /// Takes up the terms of a table that was read from the file.
    ///
    /// - Returns: whose terms have ended meanwhile, and what they had.
    package mutating func resumeTerms(at moment: Term.Moment) -> [(subject: Subject, decision: Decision)] {
        endTerms { $0.resumed(at: moment) }
    }

    private mutating func endTerms(_ rest: (Term) -> Term?) -> [(subject: Subject, decision: Decision)] {
        var ended: [(subject: Subject, decision: Decision)] = []
        for (subject, entry) in entries {
            guard let temporary = entry.temporary else { continue }
            let term = rest(temporary.term)
            guard term != temporary.term else { continue }
            change(subject) { entry in
                if let term {
                    entry.temporary?.term = term
                } else {
                    entry.endTerm()
                }
            }
            if term == nil { ended.append((subject, temporary.decision)) }
        }
        return ended
    }
}
