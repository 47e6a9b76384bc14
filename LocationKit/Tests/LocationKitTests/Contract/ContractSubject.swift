@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import TestSupport

/// A location manager and the test's control of its service, so that the same contract is tested with each
/// implementation.
protocol ContractSubject: Sendable {
    var manager: any LocationProviding { get }

    /// The receiver sends a location.
    func send(latitude: Double, accuracy: Double) async throws
    /// Whether the receiver has to run.
    func isReceiverWanted() async throws -> Bool
    /// Sets the authorization as an administrator does; `notDetermined` resets it.
    func authorize(_ status: AuthorizationStatus) async throws
    /// Whether a request for authorization waits.
    func isAsked() async throws -> Bool
    /// Switches the location service on or off, as an administrator does.
    func setEnabled(_ isEnabled: Bool) async throws
    /// Ends the service.
    func endService() async throws
    /// Starts the service again.
    func beginService() async throws
    /// Advances the time where it does not pass by itself.
    func pass(_ seconds: Double)
}

extension ContractSubject {
    func send(latitude: Double) async throws {
        try await send(latitude: latitude, accuracy: 5)
    }

    func awaitReceiver(wanted: Bool = true) async throws {
        try await eventually(wanted ? "the receiver is wanted" : "the receiver is not wanted") {
            try await isReceiverWanted() == wanted
        }
    }
}

/// The implementations that the contract is tested with.
enum Implementation: String, CaseIterable, Sendable {
    case fake, real

    /// The real one only where the daemon is built: see `Products`.
    static let allCases: [Implementation] = Products.areBuilt ? [.fake, .real] : [.fake]

    /// Runs the body with a new subject whose service is there.
    func run(
        authorization: AuthorizationStatus = .authorizedAlways,
        _ body: (any ContractSubject) async throws -> Void
    ) async throws {
        switch self {
        case .fake: try await body(FakeSubject(authorization: authorization))
        case .real:
            let subject = try await RealDaemonSubject(authorization: authorization)
            try await body(subject)
            try await subject.endService()
        }
    }
}
