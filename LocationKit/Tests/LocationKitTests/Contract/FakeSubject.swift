@_spi(Programs) import LocationKit
@_spi(Programs) import LocationKitTesting
@_spi(Programs) import LocationModel
import Testing

/// The fake, controlled by its script.
struct FakeSubject: ContractSubject {
    let fake: FakeLocationManager
    var manager: any LocationProviding { fake }

    init(authorization: AuthorizationStatus) {
        fake = FakeLocationManager(authorization: authorization)
    }

    func send(latitude: Double, accuracy: Double) throws {
        _ = try #require(fake.send(latitude: latitude, longitude: 2, horizontalAccuracy: accuracy))
    }

    func isReceiverWanted() -> Bool { fake.isReceiverWanted }
    func authorize(_ status: AuthorizationStatus) { fake.authorizationStatus = status }
    func isAsked() -> Bool { !fake.pendingAuthorizationRequests.isEmpty }
    func setEnabled(_ isEnabled: Bool) { isEnabled ? fake.enableService() : fake.disableService() }
    func endService() { fake.disconnect(.daemonNotRunning(path: "/nowhere", reason: "the test ended it")) }
    func beginService() { fake.reconnect() }
    func pass(_ seconds: Double) { fake.advance(by: seconds) }
}
