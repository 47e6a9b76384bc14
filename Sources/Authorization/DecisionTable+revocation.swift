import LocationModel

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
