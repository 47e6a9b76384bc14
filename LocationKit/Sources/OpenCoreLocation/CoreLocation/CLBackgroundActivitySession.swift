/// At Apple's, it lets a program go on in the background. On Linux every program does, and the authorization decides
/// what it may know then; so a session changes nothing, requests nothing, and reports what the program lacks.
public final class CLBackgroundActivitySession: Sendable {
    private let core: SessionCore

    /// Makes a session.
    public init() {
        core = SessionCore(of: LocationBackend.current.makeProvider(), .none)
        core.begin()
    }

    deinit {
        core.invalidate()
    }

    /// Ends it, and the loops over its diagnostics.
    public func invalidate() { core.invalidate() }

    /// What the program lacks: the present state, as soon as the service has reported it, and each change.
    public var diagnostics: Diagnostics { Diagnostics(core) }

    /// What the program lacks.
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
        /// Always false: no other session is needed.
        public var serviceSessionRequired: Bool { false }

        fileprivate init(_ diagnostic: CLServiceSession.Diagnostic) {
            authorizationDenied = diagnostic.authorizationDenied
            authorizationDeniedGlobally = diagnostic.authorizationDeniedGlobally
            authorizationRestricted = diagnostic.authorizationRestricted
            authorizationRequestInProgress = diagnostic.authorizationRequestInProgress
            insufficientlyInUse = diagnostic.insufficientlyInUse
        }
    }

    /// The sequence of diagnostics.
    public final class Diagnostics: AsyncSequence, Sendable {
        /// What the program lacks.
        public typealias Element = Diagnostic

        private let core: SessionCore

        fileprivate init(_ core: SessionCore) {
            self.core = core
        }

        /// One loop over the diagnostics.
        public func makeAsyncIterator() -> Iterator { Iterator(diagnostics: core.diagnostics.makeAsyncIterator()) }

        /// One loop over the diagnostics.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var diagnostics: AsyncStream<CLServiceSession.Diagnostic>.Iterator

            /// The next diagnostic, as soon as there is one; `nil` if the task is cancelled or the session has ended.
            public mutating func next() async throws -> Diagnostic? {
                await diagnostics.next(isolation: #isolation).map(Diagnostic.init)
            }
        }
    }
}
