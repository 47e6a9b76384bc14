/// What a program requires of the location service for one of its tasks, as long as the session exists.
///
/// Making a session requests what it requires and is not granted yet: an administrator decides, perhaps days later.
/// When something that was granted ends, as full accuracy for a while does, a session that still exists requests it
/// again. A session that is released or invalidated leaves a pending request with the service, and revokes nothing.
public final class CLServiceSession: Sendable {
    /// The authorization that a session requires.
    public enum AuthorizationRequirement: Int, Sendable {
        /// None: nothing is requested.
        case none = 0
        /// The position while the user has an active session on this machine.
        case whenInUse = 1
        /// The position at any time.
        case always = 2
    }

    private let core: SessionCore

    /// A session that requires an authorization.
    public convenience init(authorization: AuthorizationRequirement) {
        self.init(authorization, purposeKey: nil)
    }

    /// A session that requires an authorization, and full accuracy.
    ///
    /// - Parameters:
    ///   - authorization: the required authorization.
    ///   - fullAccuracyPurposeKey: the purpose, shown to the administrator as it is: there is no Info.plist with a text
    ///     for it. At most 256 bytes.
    public convenience init(authorization: AuthorizationRequirement, fullAccuracyPurposeKey: String) {
        self.init(authorization, purposeKey: fullAccuracyPurposeKey)
    }

    private init(_ requirement: AuthorizationRequirement, purposeKey: String?) {
        core = SessionCore(of: LocationBackend.current.makeProvider(), requirement, purposeKey: purposeKey)
        core.begin()
    }

    deinit {
        core.invalidate()
    }

    /// Ends the session, and the loops over its diagnostics.
    public func invalidate() { core.invalidate() }

    /// What the session lacks: the present state, as soon as the service has reported it, and each change.
    public var diagnostics: Diagnostics { Diagnostics(core) }

    /// What a session lacks. Every property is false if all that is required is granted.
    public struct Diagnostic: Sendable, Hashable {
        /// This program was denied the position, or the service is switched off.
        public let authorizationDenied: Bool
        /// The service is switched off.
        public let authorizationDeniedGlobally: Bool
        /// The administrator's policy forbids it.
        public let authorizationRestricted: Bool
        /// An administrator has yet to decide.
        public let authorizationRequestInProgress: Bool
        /// This program may know the position only while its user has a session, and there is none.
        public let insufficientlyInUse: Bool
        /// The session requires the position at any time, and only less was granted.
        public let alwaysAuthorizationDenied: Bool
        /// The session requires full accuracy, and reduced accuracy was granted.
        public let fullAccuracyDenied: Bool
        /// Always false: no other session is needed.
        public var serviceSessionRequired: Bool { false }
    }

    /// The sequence of diagnostics.
    public final class Diagnostics: AsyncSequence, Sendable {
        /// What the session lacks.
        public typealias Element = Diagnostic

        private let core: SessionCore

        fileprivate init(_ core: SessionCore) {
            self.core = core
        }

        /// One loop over the diagnostics.
        public func makeAsyncIterator() -> Iterator { Iterator(diagnostics: core.diagnostics.makeAsyncIterator()) }

        /// One loop over the diagnostics.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var diagnostics: AsyncStream<Diagnostic>.Iterator

            /// The next diagnostic, as soon as there is one; `nil` if the task is cancelled or the session has ended.
            public mutating func next() async throws -> Diagnostic? { await diagnostics.next(isolation: #isolation) }
        }
    }
}
