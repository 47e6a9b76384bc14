import LocationKit
import LocationModel

/// A location manager and the hand that moves what it hears of: what the contract asks is asked of each.
protocol ContractSubject: Sendable {
    var manager: any LocationProviding { get }

    /// A location comes from the receiver.
    func send(latitude: Double, accuracy: Double) async throws
    /// Whether the receiver has to run.
    func isReceiverWanted() async throws -> Bool
    /// An administrator decides; `notDetermined` forgets what was decided.
    func authorize(_ status: AuthorizationStatus) async throws
    /// Whether a request for authorization waits.
    func isAsked() async throws -> Bool
    /// The administrator's switch.
    func setEnabled(_ isEnabled: Bool) async throws
    /// The service ends.
    func endService() async throws
    /// The service is there again.
    func beginService() async throws
    /// Time passes, where it does not by itself.
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

/// Who has to keep the contract.
enum Contractor: String, CaseIterable, Sendable {
    case fake, real

    /// Gives the body a subject of its own whose service answers.
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
