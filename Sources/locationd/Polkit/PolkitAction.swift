@_spi(Programs) package import SystemSupport

/// What polkit is asked about: the actions of `org.locationd.policy`.
package enum PolkitAction: String, Sendable, Hashable, CaseIterable {
    /// A user lets its own programs know the position.
    case decideOwn = "org.locationd.decide-own"
    /// The same with reduced accuracy. The dialogs of the two say which it is.
    case decideOwnRoughly = "org.locationd.decide-own-roughly"
    /// A user lets one process of its own know the position, until that ends.
    case decideOwnProcess = "org.locationd.decide-own-process"
    /// The same with reduced accuracy.
    case decideOwnProcessRoughly = "org.locationd.decide-own-process-roughly"
    /// Somebody decides about any program.
    case decide = "org.locationd.decide"
    /// Somebody switches the service or its sources.
    case administer = "org.locationd.administer"

    /// Whether a user decides about its own programs, in contrast to an administrator.
    package var isOwn: Bool {
        switch self {
        case .decideOwn, .decideOwnRoughly, .decideOwnProcess, .decideOwnProcessRoughly: true
        case .decide, .administer: false
        }
    }

    /// What is asked about a user's decision about its own programs.
    package static func own(isReduced: Bool, isOneProcess: Bool) -> Self {
        switch (isOneProcess, isReduced) {
        case (false, false): .decideOwn
        case (false, true): .decideOwnRoughly
        case (true, false): .decideOwnProcess
        case (true, true): .decideOwnProcessRoughly
        }
    }
}

/// The process that wants something.
package struct PolkitSubject: Sendable, Hashable {
    package let pid: Int32
    package let uid: UInt32

    /// - Parameters:
    ///   - pid: of a process that the caller knows by a descriptor too. Polkit knows processes by number: its answer
    ///     counts only if that process still runs when it comes, because the number has been no other's then.
    ///   - uid: as the kernel reports it.
    package init(pid: Int32, uid: UInt32) {
        self.pid = pid
        self.uid = uid
    }
}

/// What polkit says.
package enum PolkitAnswer: Sendable, Hashable {
    case authorized
    /// With the reason in words.
    case refused(String)
    /// There is no answer; with the reason in words.
    case unavailable(String)
}

/// Says whether a process may do something.
package protocol ActionGate: Sendable {
    /// Returns when there is an answer, which may take as long as a person needs, or when woken.
    func check(_ action: PolkitAction, by subject: PolkitSubject, until waker: Waker) async -> PolkitAnswer
}
