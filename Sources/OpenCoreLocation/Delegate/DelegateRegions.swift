import Foundation
import LocationKit
import LocationModel

/// What a manager's delegate has still to be told of regions: that their monitoring began, and their state: a pure value.
struct DelegateRegions: Sendable {
    private struct Start {
        let region: ProgramRegion
        /// The failures that were told.
        var failures: Set<CLError.Code> = []
    }

    private var starts: [String: Start] = [:]
    /// Whose state was asked for.
    private var stateRequests: Set<String> = []

    /// What the service monitors that the delegate waits to hear has begun.
    var awaited: [Region] { starts.values.map(\.region.region) }

    mutating func beginMonitoring(_ region: ProgramRegion) {
        starts[region.identifier] = Start(region: region)
    }

    mutating func endMonitoring(_ identifier: String) {
        starts[identifier] = nil
        stateRequests.remove(identifier)
    }

    mutating func requestState(of identifier: String) {
        stateRequests.insert(identifier)
    }

    /// - Returns: true if the state was asked for, which is answered by that.
    mutating func answerStateRequest(of identifier: String) -> Bool {
        stateRequests.remove(identifier) != nil
    }

    /// - Returns: true if the delegate waits for it.
    mutating func hasBegun(_ region: ProgramRegion) -> Bool {
        starts.removeValue(forKey: region.identifier) != nil
    }

    /// - Returns: whose beginning is delayed or refused by this, and not told so yet.
    mutating func failStarting(_ code: CLError.Code) -> [ProgramRegion] {
        starts.keys.compactMap { identifier in
            let isNews = starts[identifier]?.failures.insert(code).inserted ?? false
            return isNews ? starts[identifier]?.region : nil
        }
    }

    /// - Returns: all whose state was asked for, which is answered by that.
    mutating func failStateRequests() -> Set<String> {
        defer { stateRequests = [] }
        return stateRequests
    }
}

extension CLError {
    /// What Apple's would call it that a region is not monitored; `nil` for what is no failure.
    init?(monitoring error: LocationError) {
        let code: Code
        switch error {
        // Apple's says nothing before somebody has decided.
        case .unauthorized(.notDetermined, _): return nil
        case .unauthorized, .disabled: code = .regionMonitoringDenied
        case .daemonNotRunning, .disconnected, .unavailable, .timedOut, .tooManyClients, .tooManyRequests, .cancelled:
            code = .regionMonitoringSetupDelayed
        case .tooManyRegions, .tooManyAuthorizations, .noSuchMonitor, .monitorInUse, .invalidParameter, .refused,
            .protocolViolation:
            code = .regionMonitoringFailure
        }
        self.init(
            code, userInfo: [NSLocalizedDescriptionKey: error.description, NSUnderlyingErrorKey: error])
    }
}
