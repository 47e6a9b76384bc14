import LocationKit
import LocationModel
import Testing

@Suite struct AuthorizationRequestTests {
    let service = ManagerTestTransport()
    let manager: LocationManager
    let answers = Notes<Result<Bool, LocationError>>()

    init() {
        manager = LocationManager(LocationConfiguration(purpose: "a test"), service: service)
    }

    func request(_ level: AuthorizationLevel, startUpdating: Bool = true) {
        manager.requestAuthorization(for: level, startUpdating: startUpdating) { answers.add($0) }
    }

    @Test func whatIsGrantedAlreadyIsAnsweredAtOnceAndStarts() {
        request(.always)
        #expect(answers.all == [.success(true)])
        #expect(manager.isUpdating)
        #expect(service.authorizationCalls.isEmpty)
    }

    @Test func nothingStartsUnlessAsked() {
        request(.whenInUse, startUpdating: false)
        #expect(answers.all == [.success(true)])
        #expect(!manager.isUpdating)
    }

    @Test func anotherLevelStartsAndIsNotWhatWasAskedFor() {
        service.answerStatus(.success(.with(.authorizedWhenInUse)))
        request(.always)
        #expect(answers.all == [.success(false)])
        #expect(manager.isUpdating)
        #expect(service.authorizationCalls.isEmpty)
    }

    @Test(arguments: [AuthorizationStatus.denied, .restricted])
    func aDenialIsFinal(status: AuthorizationStatus) {
        service.answerStatus(.success(.with(status)))
        request(.whenInUse)
        #expect(answers.all == [.success(false)])
        #expect(!manager.isUpdating)
        #expect(service.authorizationCalls.isEmpty)
    }

    @Test(arguments: [AuthorizationStatus.notDetermined, .unknown])
    func whatIsOpenIsAskedAndWaitedFor(status: AuthorizationStatus) throws {
        service.answerStatus(.success(.with(status)))
        request(.whenInUse)
        let call = try #require(service.authorizationCalls.first)
        #expect(call.level == .whenInUse)
        #expect(call.purpose == "a test")
        #expect(service.settlings == 1)
        call.answer(.success(.with(.notDetermined)), false)
        #expect(answers.all.isEmpty)
        #expect(manager.authorizationStatus == .notDetermined)
        call.answer(.success(.with(.authorizedWhenInUse)), true)
        #expect(answers.all == [.success(true)])
        #expect(manager.isUpdating)
        #expect(manager.authorizationStatus == .authorizedWhenInUse)
    }

    @Test func aLesserGrantThanAskedForStartsAndAnswersNo() throws {
        service.answerStatus(.success(.with(.notDetermined)))
        request(.always)
        try #require(service.authorizationCalls.first).answer(.success(.with(.authorizedWhenInUse)), true)
        #expect(answers.all == [.success(false)])
        #expect(manager.isUpdating)
    }

    @Test func aRefusalAfterAWhileStartsNothing() throws {
        service.answerStatus(.success(.with(.notDetermined)))
        request(.always)
        try #require(service.authorizationCalls.first).answer(.success(.denied), true)
        #expect(answers.all == [.success(false)])
        #expect(!manager.isUpdating)
    }

    @Test func aServiceThatCannotBeAskedIsTold() throws {
        service.answerStatus(.failure(.gone))
        request(.always)
        #expect(answers.all == [.failure(.gone)])
        service.answerStatus(.success(.with(.notDetermined)))
        request(.always)
        try #require(service.authorizationCalls.first).answer(.failure(.disconnected), true)
        #expect(answers.all == [.failure(.gone), .failure(.disconnected)])
    }

    @Test func aServiceThatGoesBeforeTheDecisionIsAskedAgain() throws {
        service.answerStatus(.success(.with(.notDetermined)))
        request(.always)
        service.authorizationCalls[0].answer(.success(.with(.notDetermined)), false)
        service.authorizationCalls[0].answer(.failure(.disconnected), true)
        service.advance(bySeconds: 1)
        try #require(service.authorizationCalls.count == 2)
        service.authorizationCalls[1].answer(.failure(.gone), true)
        service.advance(bySeconds: 1)
        #expect(service.authorizationCalls.count == 2)
        service.advance(bySeconds: 1)
        try #require(service.authorizationCalls.count == 3)
        #expect(answers.all.isEmpty)
        service.authorizationCalls[2].answer(.success(.tracking), true)
        #expect(answers.all == [.success(true)])
        #expect(service.moment == nil)
    }

    @Test func anErrorThatNoReturnHealsIsTold() throws {
        service.answerStatus(.success(.with(.notDetermined)))
        request(.always)
        service.authorizationCalls[0].answer(.success(.with(.notDetermined)), false)
        service.authorizationCalls[0].answer(.failure(.tooManyAuthorizations(limit: 16)), true)
        #expect(answers.all == [.failure(.tooManyAuthorizations(limit: 16))])
    }

    @Test func whatTheServiceTellsAnywayIsNotAskedFor() {
        let loop = manager.statuses
        service.tell(.connected, .status(.denied))
        request(.always)
        #expect(answers.all == [.success(false)])
        #expect(service.statusQuestions == 0)
        withExtendedLifetime(loop) {}
    }

    @Test func cancellationCancelsTheCall() async throws {
        service.answerStatus(.success(.with(.notDetermined)))
        service.atSettling { withUnsafeCurrentTask { $0?.cancel() } }
        let task = Task { [manager] in try await manager.requestAuthorization(for: .always) }
        await #expect(throws: LocationError.cancelled) { try await task.value }
        #expect(service.authorizationCalls.count == 1)
        #expect(service.cancelledCalls == 1)
        service.authorizationCalls.first?.answer(.success(.tracking), true)
        #expect(!manager.isUpdating)
    }
}
