@_spi(Programs) import LocationModel
import ProgramTestSupport
import Synchronization

/// What a source delivers, waited for one thing after the other.
final class EventLog: Sendable {
    private let stream: AsyncStream<SourceEvent>
    private let continuation: AsyncStream<SourceEvent>.Continuation
    private let delivered = Mutex<[SourceEvent]>([])

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    /// Everything so far.
    var events: [SourceEvent] { delivered.withLock { $0 } }

    var deliver: @Sendable (SourceEvent) -> Void {
        { event in
            self.delivered.withLock { $0.append(event) }
            self.continuation.yield(event)
        }
    }

    /// The next event that `pick` makes something of; those before it are passed over.
    func next<Result: Sendable>(
        _ what: String, within seconds: Double = 60, pick: @escaping @Sendable (SourceEvent) -> Result?
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask {
                for await event in self.stream { if let result = pick(event) { return result } }
                return nil
            }
            group.addTask {
                try await Task.sleep(for: .seconds(seconds))
                return nil
            }
            defer { group.cancelAll() }
            guard let result = try await group.next() ?? nil else {
                throw Failure("\(what) did not come within \(seconds) s; the last was \(self.events.suffix(3))")
            }
            return result
        }
    }

    func fix(within seconds: Double = 60, where accept: @escaping @Sendable (Location) -> Bool = { _ in true })
        async throws -> Location
    {
        try await next("the fix", within: seconds) { event in
            if case .fix(let location) = event, accept(location) { location } else { nil }
        }
    }

    func condition(
        _ what: String, within seconds: Double = 60, where accept: @escaping @Sendable (SourceCondition) -> Bool
    ) async throws -> SourceCondition {
        try await next(what, within: seconds) { event in
            if case .condition(let condition) = event, accept(condition) { condition } else { nil }
        }
    }

    /// The reason of the next try to connect that has one.
    func reasonToConnect() async throws -> String {
        try await next("a reason") { event in
            if case .condition(.connecting(let reason?)) = event { reason } else { nil }
        }
    }

    /// The reason of the next connected condition that has one.
    func reason() async throws -> String {
        try await next("a reason") { event in
            switch event {
            case .condition(.connected(let reason?)), .condition(.unavailable(let reason)): reason
            default: nil
            }
        }
    }
}
