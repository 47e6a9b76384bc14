@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import TestSupport
import Testing

@Suite struct AuthorizationRequestTests {
    let transport = ManagerTestTransport()
    let manager: LocationManager
    let answers = ValueRecorder<Result<Bool, LocationError>>()

    init() {
        manager = LocationManager(LocationConfiguration(purpose: "a test"), transport: transport)
    }

    func request(_ level: AuthorizationLevel, startUpdating: Bool = true) {
        manager.requestAuthorization(for: level, startUpdating: startUpdating) { answers.append($0) }
    }

    @Test func anEarlierGrantIsAnsweredImmediatelyAndStartsUpdating() {
        request(.always)
        #expect(answers.values == [.success(true)])
        #expect(manager.isUpdating)
        #expect(transport.authorizationCalls.isEmpty)
    }

    @Test func nothingStartsUnlessRequested() {
        request(.whenInUse, startUpdating: false)
        #expect(answers.values == [.success(true)])
        #expect(!manager.isUpdating)
    }

    @Test(arguments: [AuthorizationStatus.authorizedAlways, .authorizedWhenInUse, .denied])
    func aHigherLevelIsRequestedAndAwaited(decision: AuthorizationStatus) throws {
        transport.answerStatus(.success(.with(.authorizedWhenInUse)))
        request(.always)
        #expect(manager.isUpdating, "the granted level suffices")
        let call = try #require(transport.authorizationCalls.first)
        #expect(call.level == .always)
        call.answer(.success(.with(.authorizedWhenInUse)), false)
        #expect(answers.values.isEmpty)
        call.answer(.success(.with(decision)), true)
        #expect(answers.values == [.success(decision == .authorizedAlways)])
        #expect(transport.authorizationCalls.count == 1)
    }

    @Test(arguments: [AuthorizationStatus.denied, .restricted])
    func aDenialIsFinal(status: AuthorizationStatus) {
        transport.answerStatus(.success(.with(status)))
        request(.whenInUse)
        #expect(answers.values == [.success(false)])
        #expect(!manager.isUpdating)
        #expect(transport.authorizationCalls.isEmpty)
    }

    @Test(arguments: [AuthorizationStatus.notDetermined, .unknown])
    func anUndecidedLevelIsRequestedAndAwaited(status: AuthorizationStatus) throws {
        transport.answerStatus(.success(.with(status)))
        request(.whenInUse)
        let call = try #require(transport.authorizationCalls.first)
        #expect(call.level == .whenInUse)
        #expect(call.purpose == "a test")
        #expect(transport.deliveries == 1)
        call.answer(.success(.with(.notDetermined)), false)
        #expect(answers.values.isEmpty)
        #expect(manager.authorizationStatus == .notDetermined)
        call.answer(.success(.with(.authorizedWhenInUse)), true)
        #expect(answers.values == [.success(true)])
        #expect(manager.isUpdating)
        #expect(manager.authorizationStatus == .authorizedWhenInUse)
    }

    @Test func aLowerGrantThanRequestedStartsUpdatingAndReturnsFalse() throws {
        transport.answerStatus(.success(.with(.notDetermined)))
        request(.always)
        try #require(transport.authorizationCalls.first).answer(.success(.with(.authorizedWhenInUse)), true)
        #expect(answers.values == [.success(false)])
        #expect(manager.isUpdating)
    }

    @Test func aRefusalAfterAWhileStartsNothing() throws {
        transport.answerStatus(.success(.with(.notDetermined)))
        request(.always)
        try #require(transport.authorizationCalls.first).answer(.success(.denied), true)
        #expect(answers.values == [.success(false)])
        #expect(!manager.isUpdating)
    }

    @Test func anUnreachableServiceIsReported() throws {
        transport.answerStatus(.failure(.gone))
        request(.always)
        #expect(answers.values == [.failure(.gone)])
        transport.answerStatus(.success(.with(.notDetermined)))
        request(.always)
        try #require(transport.authorizationCalls.first).answer(.failure(.disconnected), true)
        #expect(answers.values == [.failure(.gone), .failure(.disconnected)])
    }

    @Test func aRequestIsRepeatedAfterTheServiceEndsBeforeTheDecision() throws {
        transport.answerStatus(.success(.with(.notDetermined)))
        request(.always)
        transport.authorizationCalls[0].answer(.success(.with(.notDetermined)), false)
        transport.authorizationCalls[0].answer(.failure(.disconnected), true)
        transport.advance(bySeconds: 1)
        try #require(transport.authorizationCalls.count == 2)
        transport.authorizationCalls[1].answer(.failure(.gone), true)
        transport.advance(bySeconds: 1)
        #expect(transport.authorizationCalls.count == 2)
        transport.advance(bySeconds: 1)
        try #require(transport.authorizationCalls.count == 3)
        #expect(answers.values.isEmpty)
        transport.authorizationCalls[2].answer(.success(.tracking), true)
        #expect(answers.values == [.success(true)])
        #expect(transport.moment == nil)
    }

    @Test func anErrorThatReconnectingDoesNotResolveIsReported() throws {
        transport.answerStatus(.success(.with(.notDetermined)))
        request(.always)
        transport.authorizationCalls[0].answer(.success(.with(.notDetermined)), false)
        transport.authorizationCalls[0].answer(.failure(.tooManyAuthorizations(limit: 16)), true)
        #expect(answers.values == [.failure(.tooManyAuthorizations(limit: 16))])
    }

    @Test func aDeliveredStatusIsNotFetched() {
        let loop = manager.statuses
        transport.deliver(.connected, .status(.denied))
        request(.always)
        #expect(answers.values == [.success(false)])
        #expect(transport.statusCalls == 0)
        withExtendedLifetime(loop) {}
    }

    @Test func cancellationCancelsTheCall() async throws {
        transport.answerStatus(.success(.with(.notDetermined)))
        transport.onDelivery { withUnsafeCurrentTask { $0?.cancel() } }
        let task = Task { [manager] in try await manager.requestAuthorization(for: .always) }
        await #expect(throws: LocationError.cancelled) { try await task.value }
        #expect(transport.authorizationCalls.count == 1)
        #expect(transport.cancelledCalls == 1)
        transport.authorizationCalls.first?.answer(.success(.tracking), true)
        #expect(!manager.isUpdating)
    }
}
