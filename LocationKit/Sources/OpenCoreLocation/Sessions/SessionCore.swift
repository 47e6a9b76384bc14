@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import Synchronization

/// Requests what a session requires, and reports what it lacks, until it is invalidated.
///
/// Ownership: everything is in one value under one lock, which is held for changes only; streams receive diagnostics
/// under it, in order. Observers and tasks hold the core weakly, or for the time of a call.
final class SessionCore: Sendable {
    private struct Contents {
        var state: SessionState
        var diagnostic: CLServiceSession.Diagnostic?
        var streams: [Int: AsyncStream<CLServiceSession.Diagnostic>.Continuation] = [:]
        var lastStream = 0
        /// The requests that wait for a decision.
        var tasks: [Task<Void, Never>] = []
        var statuses: Observer<ServiceStatus>?
        var isInvalid = false
    }

    private let provider: any LocationProviding
    private let purpose: String
    private let contents: Mutex<Contents>

    /// - Parameter purposeKey: the purpose of full accuracy; `nil` if that is not required.
    init(
        of provider: any LocationProviding, _ requirement: CLServiceSession.AuthorizationRequirement,
        purposeKey: String? = nil
    ) {
        self.provider = provider
        purpose = purposeKey ?? ""
        contents = Mutex(Contents(state: SessionState(requirement, wantsFullAccuracy: purposeKey != nil)))
    }

    deinit {
        invalidate()
    }

    /// Observes the service, and requests what is required once it has reported its status.
    func begin() {
        let statuses = Observer<ServiceStatus>(on: .immediate) { [weak self] status in
            self?.update { $0.receive(status) }
        }
        contents.withLock { $0.statuses = statuses }
        provider.addObserver(statuses)
    }

    /// Ends everything; the service keeps a pending request.
    func invalidate() {
        let (statuses, tasks, streams) = contents.withLock { contents in
            contents.isInvalid = true
            defer { (contents.statuses, contents.tasks, contents.streams) = (nil, [], [:]) }
            return (contents.statuses, contents.tasks, contents.streams)
        }
        if let statuses { provider.removeObserver(statuses) }
        for task in tasks { task.cancel() }
        for stream in streams.values { stream.finish() }
    }

    var isInsufficientlyInUse: Bool { contents.withLock { $0.state.isInsufficientlyInUse } }

    /// The present diagnostic, as soon as there is one, and each change.
    var diagnostics: AsyncStream<CLServiceSession.Diagnostic> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: CLServiceSession.Diagnostic.self, bufferingPolicy: .bufferingNewest(256))
        let number: Int? = contents.withLock { contents in
            guard !contents.isInvalid else { return nil }
            contents.lastStream += 1
            contents.streams[contents.lastStream] = continuation
            if let present = contents.diagnostic { continuation.yield(present) }
            return contents.lastStream
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            // Released without the lock.
            let former = self?.contents.withLock { $0.streams.removeValue(forKey: number) }
            withExtendedLifetime(former) {}
        }
        return stream
    }

    private func update(_ input: (inout SessionState) -> [SessionState.Request]) {
        let requests: [SessionState.Request] = contents.withLock { contents in
            guard !contents.isInvalid else { return [] }
            let requests = input(&contents.state)
            if let diagnostic = contents.state.diagnostic, diagnostic != contents.diagnostic {
                contents.diagnostic = diagnostic
                for stream in contents.streams.values { stream.yield(diagnostic) }
            }
            return requests
        }
        for request in requests { begin(request) }
    }

    /// Each request has a task of its own, because it is ended by cancelling its task.
    private func begin(_ request: SessionState.Request) {
        let task = Task { [weak self, provider, purpose] in
            let answer = await Self.answer(to: request, of: provider, purpose)
            self?.update { $0.receive(answer, to: request) }
        }
        let isInvalid = contents.withLock { contents in
            contents.tasks.removeAll(where: \.isCancelled)
            if !contents.isInvalid { contents.tasks.append(task) }
            return contents.isInvalid
        }
        if isInvalid { task.cancel() }
    }

    private static func answer(
        to request: SessionState.Request, of provider: any LocationProviding, _ purpose: String
    ) async -> Result<Bool, LocationError> {
        do throws(LocationError) {
            switch request {
            case .level(let level):
                return .success(try await provider.requestAuthorization(for: level, startUpdating: false))
            case .fullAccuracy: return .success(try await provider.requestFullAccuracy(purpose: purpose))
            }
        } catch {
            return .failure(error)
        }
    }
}
