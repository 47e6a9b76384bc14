import Foundation
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel

/// What a manager's delegate still has to learn about regions: that monitoring has begun, and requested states. A pure
/// value.
struct DelegateRegions: Sendable {
    private struct Start {
        let region: ProgramRegion
        /// The failures that were reported.
        var failures: Set<CLError.Code> = []
    }

    private var starts: [String: Start] = [:]
    /// The regions whose state was requested.
    private var stateRequests: Set<String> = []

    /// The regions whose start has not been reported yet.
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

    /// - Returns: true if the state was requested; the request is then answered.
    mutating func answerStateRequest(of identifier: String) -> Bool {
        stateRequests.remove(identifier) != nil
    }

    /// - Returns: true if the start was not reported yet.
    mutating func hasBegun(_ region: ProgramRegion) -> Bool {
        starts.removeValue(forKey: region.identifier) != nil
    }

    /// - Returns: the regions whose start fails with this code for the first time.
    mutating func failStarting(_ code: CLError.Code) -> [ProgramRegion] {
        starts.keys.compactMap { identifier in
            let isNew = starts[identifier]?.failures.insert(code).inserted ?? false
            return isNew ? starts[identifier]?.region : nil
        }
    }

    /// - Returns: all regions whose state was requested; the requests are then answered.
    mutating func failStateRequests() -> Set<String> {
        defer { stateRequests = [] }
        return stateRequests
    }
}

extension CLError {
    /// The CoreLocation error if a region is not monitored because of this; `nil` if that is not a failure.
    init?(monitoring error: LocationError) {
        let code: Code
        switch error {
        // CoreLocation reports nothing before there is a decision.
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
