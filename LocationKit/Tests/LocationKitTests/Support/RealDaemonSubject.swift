@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import TestSupport
import Testing

/// The manager with the built daemon, which is controlled through its control socket.
struct RealDaemonSubject: ContractSubject {
    let daemon: RealDaemon
    let manager: any LocationProviding

    init(authorization: AuthorizationStatus) async throws {
        daemon = try await RealDaemon()
        manager = LocationManager(LocationConfiguration(socketPath: daemon.socket))
        if authorization != .notDetermined { try await authorize(authorization) }
    }

    func send(latitude: Double, accuracy: Double) async throws {
        let coordinate = try #require(Coordinate(latitude: latitude, longitude: 2))
        var location = Location(
            coordinate: coordinate, monotonicTime: BootInstant(nanoseconds: 0), source: SourceInformation(name: "test"))
        location.horizontalAccuracy = accuracy
        try await daemon.call(
            AdminInterface.Method.simulate, SimulateParameters(location: location), as: SimulateReply.self)
    }

    func isReceiverWanted() async throws -> Bool {
        try await daemon.statistics().demand
    }

    func authorize(_ status: AuthorizationStatus) async throws {
        guard let answer = SetAuthorizationParameters.Answer(rawValue: status.rawValue) else {
            try await daemon.call(
                AdminInterface.Method.resetAuthorization, PrincipalName(principal: daemon.principal),
                as: AuthorizationChange.self)
            return
        }
        try await daemon.call(
            AdminInterface.Method.setAuthorization,
            SetAuthorizationParameters(principal: daemon.principal, authorization: answer), as: AuthorizationChange.self
        )
    }

    func isAsked() async throws -> Bool {
        let list = try await daemon.call(AdminInterface.Method.listAuthorizations, as: AuthorizationList.self)
        return list.authorizations.contains { $0.pending }
    }

    func setEnabled(_ isEnabled: Bool) async throws {
        try await daemon.call(isEnabled ? AdminInterface.Method.start : AdminInterface.Method.stop)
    }

    func endService() async throws { try await daemon.end() }
    func beginService() async throws { try await daemon.start() }
    func pass(_ seconds: Double) {}
}
