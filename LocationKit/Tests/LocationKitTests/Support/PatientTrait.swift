@_spi(Programs) import LocationKit
import TestSupport
import Testing

/// Gives the daemon more than a quarter of a second to answer a blocking call: the machine may be busy.
struct PatientTrait: SuiteTrait, TestTrait, TestScoping {
    @concurrent
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await DaemonTransport.$briefTimeout.withValue(20) { try await function() }
    }
}

extension Trait where Self == PatientTrait {
    static var patient: Self { PatientTrait() }
}
