@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import Testing

extension AuthorizationRequestTests {
    @Test func theFetchedStatusIsReusedForASecond() {
        #expect(manager.authorizationStatus == .authorizedAlways)
        #expect(manager.accuracyAuthorization == .full)
        #expect(transport.statusCalls == 1)
        transport.answerStatus(.success(.denied))
        transport.advance(bySeconds: 0.9)
        #expect(manager.authorizationStatus == .authorizedAlways)
        transport.advance(bySeconds: 0.1)
        #expect(manager.authorizationStatus == .denied)
        #expect(transport.statusCalls == 2)
    }

    @Test func anUnreachableServiceLeavesTheAuthorizationUndetermined() {
        transport.answerStatus(.failure(.gone))
        #expect(manager.authorizationStatus == .notDetermined)
        #expect(manager.accuracyAuthorization == .full)
        #expect(transport.statusCalls == 1)
    }

    @Test func theDeliveredStatusIsTheCurrentOne() {
        manager.startUpdating()
        transport.deliver(.connected, .status(.denied))
        #expect(manager.authorizationStatus == .denied)
        #expect(transport.statusCalls == 0)
        transport.deliver(.disconnected(.gone))
        #expect(manager.authorizationStatus == .authorizedAlways)
        #expect(transport.statusCalls == 1)
    }
}
