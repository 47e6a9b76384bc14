/// The parts of a service, each an asynchronous function that runs as long as the service does.
package struct ServiceParts: Sendable {
    package typealias Part = @Sendable () async throws -> Void

    private let parts: [Part]

    /// - Parameter parts: those that are `nil` are absent.
    package init(_ parts: Part?...) { self.parts = parts.compactMap(\.self) }

    /// Reports to systemd that the service is ready, runs all parts until there is a signal or one part has returned or
    /// thrown, cancels the others, waits for them, and reports that the service stops.
    ///
    /// - Parameters:
    ///   - whenReady: called after the report, before the parts run.
    ///   - whenEnding: called before the parts are cancelled.
    /// - Throws: what `whenReady` or the first part to end throws. Then nothing is reported: systemd sees the exit.
    package func run<Signals: AsyncSequence & Sendable>(
        until signals: Signals, _ notifications: NotificationSocket?,
        whenReady: () async throws -> Void = {}, whenEnding: () -> Void = {}
    ) async throws where Signals.Failure == Never {
        notifications?.send(.ready, waits: true)
        try await whenReady()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in signals { return } }
            for part in parts { group.addTask { try await part() } }
            defer {
                whenEnding()
                group.cancelAll()
            }
            try await group.next()
        }
        notifications?.send(.stopping, waits: true)
    }
}
