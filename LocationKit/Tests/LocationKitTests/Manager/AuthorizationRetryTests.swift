@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import TestSupport
import Testing

/// A request for authorization over restarts of the service, which a decision of days outlives.
@Suite struct AuthorizationRetryTests {
    @Test func serviceThatWasThereAgainIsTriedAsSoonAsTheFirstTime() throws {
        let transport = ManagerTestTransport()
        let manager = LocationManager(LocationConfiguration(), transport: transport)
        let answers = ValueRecorder<Result<Bool, LocationError>>()
        transport.answerStatus(.success(.with(.notDetermined)))
        manager.requestAuthorization(for: .always, startUpdating: false) { answers.append($0) }
        func call(_ number: Int) throws -> ManagerTestTransport.AuthorizationCall {
            try #require(transport.authorizationCalls.count == number + 1)
            return transport.authorizationCalls[number]
        }
        try call(0).answer(.success(.with(.notDetermined)), false)
        try call(0).answer(.failure(.disconnected), true)
        for (attempt, wait) in [1.0, 2, 4].enumerated() {
            transport.advance(bySeconds: wait)
            try call(attempt + 1).answer(.failure(.gone), true)
        }
        transport.advance(bySeconds: 8)
        // It accepts the request, and ends again.
        try call(4).answer(.success(.with(.notDetermined)), false)
        try call(4).answer(.failure(.disconnected), true)
        transport.advance(bySeconds: 1)
        try call(5).answer(.success(.tracking), true)
        #expect(answers.values == [.success(true)])
    }
}
