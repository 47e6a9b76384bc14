extension Principal {
    /// Whom a decision about this client is about: the bridge it reads, else its unit where the kernel vouches for one,
    /// else its user.
    package var subject: Subject { bridge.map(Subject.bridge) ?? unit.map(Subject.unit) ?? .uid(uid) }

    /// Everything decisions may know it by, the narrower first.
    package var subjects: [Subject] {
        if let bridge { return [.bridge(bridge)] }
        return (unit.map { [.unit($0)] } ?? []) + [.uid(uid)]
    }

    /// True if what is decided about the subject may matter to this client: who is refused by themselves is refused on
    /// a bridge too.
    package func isConcerned(by subject: Subject) -> Bool {
        subjects.contains(subject) || reader?.subjects.contains(subject) == true
    }
}
