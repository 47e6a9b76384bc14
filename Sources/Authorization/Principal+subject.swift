extension Principal {
    /// Whom a decision about this client is about: its unit where the kernel vouches for one, else its user.
    package var subject: Subject { unit.map(Subject.unit) ?? .uid(uid) }

    /// Everything decisions may know it by, the narrower first.
    package var subjects: [Subject] { (unit.map { [.unit($0)] } ?? []) + [.uid(uid)] }
}
