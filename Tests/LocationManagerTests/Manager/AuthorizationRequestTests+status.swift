import LocationKit
import LocationModel
import Testing

extension AuthorizationRequestTests {
    @Test func theAnswerToTheQuestionForTheStateIsGoodForASecond() {
        #expect(manager.authorizationStatus == .authorizedAlways)
        #expect(manager.accuracyAuthorization == .full)
        #expect(service.statusQuestions == 1)
        service.answerStatus(.success(.denied))
        service.advance(bySeconds: 0.9)
        #expect(manager.authorizationStatus == .authorizedAlways)
        service.advance(bySeconds: 0.1)
        #expect(manager.authorizationStatus == .denied)
        #expect(service.statusQuestions == 2)
    }

    @Test func aServiceThatCannotBeAskedLeavesItOpen() {
        service.answerStatus(.failure(.gone))
        #expect(manager.authorizationStatus == .notDetermined)
        #expect(manager.accuracyAuthorization == .full)
        #expect(service.statusQuestions == 1)
    }

    @Test func whatTheServiceTellsIsThePresentState() {
        manager.startUpdating()
        service.tell(.connected, .status(.denied))
        #expect(manager.authorizationStatus == .denied)
        #expect(service.statusQuestions == 0)
        service.tell(.disconnected(.gone))
        #expect(manager.authorizationStatus == .authorizedAlways)
        #expect(service.statusQuestions == 1)
    }
}
