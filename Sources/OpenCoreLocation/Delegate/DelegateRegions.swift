import Foundation
import LocationKit
import LocationModel

/// What a manager's delegate has still to be told of regions: that their monitoring began, and their state: a pure value.
struct DelegateRegions: Sendable {
    private struct Beginning {
        let region: ProgramRegion
        /// The failures that were told.
        var failures: Set<CLError.Code> = []
    }

    private var beginnings: [String: Beginning] = [:]
    /// Whose state was asked for.
    private var questions: Set<String> = []

    /// What the service monitors that the delegate waits to hear has begun.
    var awaited: [Region] { beginnings.values.map(\.region.region) }

    mutating func begin(_ region: ProgramRegion) {
        beginnings[region.identifier] = Beginning(region: region)
    }

    mutating func end(_ identifier: String) {
        beginnings[identifier] = nil
        questions.remove(identifier)
    }

    mutating func ask(_ identifier: String) {
        questions.insert(identifier)
    }

    /// - Returns: true if the state was asked for, which is answered by that.
    mutating func answer(_ identifier: String) -> Bool {
        questions.remove(identifier) != nil
    }

    /// - Returns: true if the delegate waits for it.
    mutating func hasBegun(_ region: ProgramRegion) -> Bool {
        beginnings.removeValue(forKey: region.identifier) != nil
    }

    /// - Returns: whose beginning is delayed or refused by this, and not told so yet.
    mutating func fail(_ code: CLError.Code) -> [ProgramRegion] {
        beginnings.keys.compactMap { identifier in
            let isNews = beginnings[identifier]?.failures.insert(code).inserted ?? false
            return isNews ? beginnings[identifier]?.region : nil
        }
    }

    /// - Returns: all whose state was asked for, which is answered by that.
    mutating func giveUpQuestions() -> Set<String> {
        defer { questions = [] }
        return questions
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
