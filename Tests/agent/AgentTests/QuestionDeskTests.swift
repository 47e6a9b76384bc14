@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Testing

@testable import Agent

/// What is asked when, and what becomes of the answers.
@Suite struct QuestionDeskTests {
    private static let full: Set<String> = ["actions", "body", "persistence"]

    private func at(_ seconds: Double) -> BootInstant { BootInstant(nanoseconds: 0).advanced(bySeconds: seconds) }

    private func request(_ number: Int64, purpose: String? = nil, programs: [String] = ["maps"]) -> PendingAuthorization
    {
        PendingAuthorization(
            number: number, since: UTCTime(seconds: 1_790_000_000), level: .whenInUse, purpose: purpose,
            programs: programs, waiting: programs.map { WaitingProgram(name: $0, purpose: purpose) })
    }

    private func reply(
        _ requests: PendingAuthorization...,
        ceiling: DecisionCeiling? = .init(authorization: .authorizedWhenInUse, accuracy: .full)
    ) -> RequestsReply { RequestsReply(requests: requests, ceiling: ceiling) }

    private func desk(_ capabilities: Set<String>? = full) -> QuestionDesk {
        var desk = QuestionDesk(Texts(.english), uid: 1000)
        #expect(desk.apply(capabilities: capabilities, at: at(0)) == [])
        return desk
    }

    private func shown(_ steps: [QuestionDesk.Step]) -> QuestionText? {
        for case .show(let text, _, _) in steps { return text }
        return nil
    }

    @Test func requestIsAskedAboutOnceAndWithdrawnWhenItIsGone() {
        var desk = desk()
        let steps = desk.apply(reply(request(1, purpose: "the way home")), at: at(1))
        #expect(
            steps == [
                .show(
                    QuestionText(
                        summary: "A program asks for your position",
                        body: "Your answer holds for all of your programs, while you are logged in.\n"
                            + "It calls itself “maps” and gives the reason “the way home”."),
                    [.whileLoggedIn, .onlyRoughly, .never], longest: nil)
            ])
        #expect(desk.apply(reply(request(1, purpose: "the way home")), at: at(2)) == [])
        #expect(desk.apply(reply(), at: at(3)) == [.withdraw])
        #expect(desk.deadline == nil)
    }

    @Test(arguments: [
        (Answer.whileLoggedIn, DecideParameters(number: 1, authorization: .authorizedWhenInUse, accuracy: .full)),
        (.onlyRoughly, DecideParameters(number: 1, authorization: .authorizedWhenInUse, accuracy: .reduced)),
        (.never, DecideParameters(number: 1, authorization: .denied)),
    ])
    func answerIsDecidedAndTheQuestionGoesAway(answer: Answer, parameters: DecideParameters) {
        var desk = desk()
        _ = desk.apply(reply(request(1)), at: at(1))
        #expect(desk.apply(answer, at: at(2)) == [.decide(parameters)])
        #expect(desk.apply(answer, at: at(2)) == [], "a second click decides nothing more")
        #expect(desk.apply(.decided, at: at(3)) == [.withdraw])
        #expect(desk.apply(reply(), at: at(3)) == [])
        // The next question comes at once, because this one was answered.
        #expect(shown(desk.apply(reply(request(2)), at: at(4))) != nil)
    }

    // MARK: One process

    private func oneProcess(_ number: Int64 = 1, _ programs: [String] = ["maps"]) -> PendingAuthorization {
        var request = request(number, programs: programs)
        request.processes = ["maps": 4711]
        return request
    }

    private func offer(_ steps: [QuestionDesk.Step]) -> QuestionText? {
        for case .offer(let text, .onlyUntilItEnds) in steps { return text }
        return nil
    }

    /// A desk that has an offer on the screen, after the daemon has told that nothing waits.
    private func offering(_ answer: Answer = .whileLoggedIn) -> QuestionDesk {
        var desk = desk()
        _ = desk.apply(reply(oneProcess()), at: at(1))
        _ = desk.apply(answer, at: at(2))
        #expect(desk.apply(reply(), at: at(3)) == [.withdraw])
        #expect(offer(desk.apply(.decided, at: at(4))) != nil)
        return desk
    }

    @Test(arguments: [
        (Answer.whileLoggedIn, SetAuthorizationParameters.Accuracy.full, "All of them"),
        (.onlyRoughly, .reduced, "Roughly, and all of them"),
    ])
    func grantToTheOnlyProgramMayBeNarrowedAfterwards(
        answer: Answer, accuracy: SetAuthorizationParameters.Accuracy, words: String
    ) {
        var desk = desk()
        _ = desk.apply(reply(oneProcess()), at: at(1))
        #expect(desk.apply(.onlyUntilItEnds, at: at(1)) == [], "nothing is granted yet")
        let grant = DecideParameters(number: 1, authorization: .authorizedWhenInUse, accuracy: accuracy)
        #expect(desk.apply(answer, at: at(2)) == [.decide(grant)])
        #expect(desk.apply(.onlyUntilItEnds, at: at(2)) == [])
        #expect(
            desk.apply(.decided, at: at(3)) == [
                .withdraw,
                .offer(
                    QuestionText(
                        summary: "Your programs may know your position",
                        body: "\(words), while you are logged in; if you choose so, only the one that asked, "
                            + "until it ends.\nIt calls itself “maps”."), .onlyUntilItEnds),
            ])
        #expect(desk.apply(reply(), at: at(4)) == [], "the offer stays")
        let narrower = DecideParameters(authorization: .authorizedWhenInUse, accuracy: accuracy, process: 4711)
        #expect(desk.apply(.onlyUntilItEnds, at: at(5)) == [.decide(narrower)])
        #expect(desk.apply(.onlyUntilItEnds, at: at(5)) == [] && desk.noteClosed(at: at(5)) == [])
        #expect(desk.apply(.decided, at: at(6)) == [.withdraw])
        #expect(desk.apply(.onlyUntilItEnds, at: at(7)) == [])
        // Other programs, which have lost it, are asked about.
        #expect(shown(desk.apply(reply(request(2, programs: ["photos"])), at: at(8))) != nil)
    }

    @Test func severalProgramsAndHiddenButtonsHaveNoOffer() {
        for isHidden in [false, true] {
            var desk = desk()
            if isHidden { _ = desk.apply(capabilities: Self.full, server: "mako", at: at(0)) }
            _ = desk.apply(reply(isHidden ? oneProcess() : oneProcess(1, ["maps", "photos"])), at: at(1))
            _ = desk.apply(.whileLoggedIn, at: at(2))
            #expect(desk.apply(.decided, at: at(3)) == [.withdraw])
        }
    }

    @Test(arguments: [QuestionDesk.Outcome.refused("no"), .busy, .outdated])
    func whatIsNotGrantedIsNotOffered(outcome: QuestionDesk.Outcome) {
        var desk = desk()
        _ = desk.apply(reply(oneProcess()), at: at(1))
        _ = desk.apply(.whileLoggedIn, at: at(2))
        #expect(offer(desk.apply(outcome, at: at(3))) == nil)
        #expect(desk.apply(.onlyUntilItEnds, at: at(4)) == [])
    }

    @Test func refusalIsNotOfferedToBeNarrowed() {
        var desk = desk()
        _ = desk.apply(reply(oneProcess()), at: at(1))
        _ = desk.apply(.never, at: at(2))
        #expect(desk.apply(.decided, at: at(3)) == [.withdraw])
        #expect(desk.apply(.onlyUntilItEnds, at: at(4)) == [])
    }

    @Test func offerEndsWithWhatShowsIt() {
        var closed = offering()
        #expect(closed.noteClosed(at: at(5)) == [] && closed.apply(.onlyUntilItEnds, at: at(6)) == [])
        var lost = offering()
        #expect(lost.apply(nil, at: at(5)) == [.withdraw] && lost.apply(.onlyUntilItEnds, at: at(6)) == [])
        var moved = offering()
        #expect(moved.apply(capabilities: Self.full, at: at(5)) == [])
        #expect(moved.apply(.onlyUntilItEnds, at: at(6)) == [])
        var replaced = offering()
        #expect(shown(replaced.apply(reply(request(2)), at: at(5))) != nil)
        #expect(replaced.apply(.onlyUntilItEnds, at: at(6)) == [])
    }

    /// A server that takes a notification away when one of its buttons is pressed.
    @Test func closingWhileItIsDecidedKeepsTheOffer() {
        var desk = desk()
        _ = desk.apply(reply(oneProcess()), at: at(1))
        _ = desk.apply(.whileLoggedIn, at: at(2))
        #expect(desk.noteClosed(at: at(2)) == [])
        #expect(offer(desk.apply(.decided, at: at(3))) != nil)
    }

    @Test func narrowingThatFailsIsToldAndSettlesNothing() {
        var desk = offering()
        _ = desk.apply(.onlyUntilItEnds, at: at(5))
        let steps = desk.apply(.refused("it has ended"), at: at(6))
        #expect(
            steps == [
                .withdraw,
                .tell(QuestionText(summary: "Nothing is decided about the position", body: "it has ended")),
            ])
        #expect(shown(desk.apply(reply(oneProcess(2)), at: at(100))) != nil)
    }

    @Test func closingDecidesNothingAndIsNotAskedAgain() {
        var desk = desk()
        _ = desk.apply(reply(request(1)), at: at(1))
        #expect(desk.noteClosed(at: at(2)) == [])
        #expect(desk.apply(.never, at: at(3)) == [], "nothing is on the screen that could be answered")
        #expect(desk.apply(reply(request(1)), at: at(200)) == [] && desk.deadline == nil)
        // The daemon restarts, and says it again: at first without the program.
        #expect(desk.apply(nil, at: at(201)) == [] && desk.apply(reply(request(1, programs: [])), at: at(202)) == [])
        #expect(desk.apply(reply(request(1)), at: at(203)) == [])
        // Another program changes the request, and has gone.
        #expect(desk.apply(reply(request(2)), at: at(400)) == [])
    }

    @Test func closingSettlesTheNamedProgramsAndNoOthers() {
        var desk = desk()
        _ = desk.apply(reply(request(1)), at: at(1))
        _ = desk.noteClosed(at: at(2))
        let both = reply(request(1, programs: ["maps", "photos"]))
        #expect(desk.apply(both, at: at(3)) == [] && desk.deadline == at(61))
        #expect(desk.advance(to: at(60.9)) == [])
        #expect(shown(desk.advance(to: at(61)))?.body.hasSuffix("It calls itself “photos”.") == true)
        #expect(desk.noteClosed(at: at(62)) == [])
        #expect(desk.apply(both, at: at(500)) == [] && desk.deadline == nil)
    }

    @Test func settledProgramThatAsksForMoreIsAskedAbout() {
        var desk = desk()
        _ = desk.apply(reply(request(1)), at: at(1))
        _ = desk.noteClosed(at: at(2))
        var more = request(2)
        more.fullAccuracy = true
        #expect(shown(desk.apply(reply(more), at: at(100))) != nil)
    }

    @Test func secondProgramJoinsTheOpenQuestionAtOnce() {
        var desk = desk()
        _ = desk.apply(reply(request(1)), at: at(1))
        let steps = desk.apply(reply(request(2, programs: ["maps", "photos"])), at: at(2))
        #expect(
            shown(steps)
                == QuestionText(
                    summary: "Programs ask for your position",
                    body: "Your answer holds for all of your programs, while you are logged in.\n"
                        + "They call themselves “maps”, “photos”."))
        #expect(
            desk.apply(.never, at: at(3)) == [.decide(DecideParameters(number: 2, authorization: .denied))],
            "the answer is about both")
    }

    /// Names that come and go make one question a minute, and so many more as can join it.
    @Test func programsThatChangeTheirNamesAreShownOnceAMinute() {
        var desk = desk()
        var count = 0
        for second in 0..<120 {
            let programs = second.isMultiple(of: 2) ? ["a\(second)"] : ["a\(second - 1)", "b\(second)"]
            if shown(desk.apply(reply(request(1, programs: programs)), at: at(Double(second)))) != nil { count += 1 }
        }
        #expect(count == 3, "one that joins, and one after the pause")
    }

    @Test func partsOfTheDesktopAreNeitherAskedAboutNorNamed() {
        var desk = desk()
        let part = "GeoClue: gnome-color-panel"
        #expect(desk.apply(reply(request(1, programs: [part])), at: at(1)) == [] && desk.deadline == nil)
        let text = shown(desk.apply(reply(request(1, programs: [part, "GeoClue: org.gnome.Maps"])), at: at(2)))
        #expect(text?.body.hasSuffix("It calls itself “org.gnome.Maps”.") == true)
    }

    @Test func resetRequestIsAskedAboutAnew() {
        var desk = desk()
        _ = desk.apply(reply(request(1)), at: at(1))
        _ = desk.noteClosed(at: at(2))
        #expect(desk.apply(reply(), at: at(100)) == [])
        #expect(shown(desk.apply(reply(request(2)), at: at(101))) != nil)
    }

    @Test(arguments: [("mako", true), ("dunst", true), ("gnome-shell", false), (nil, false)])
    func serverThatHidesItsActionsIsGivenTheCommand(server: String?, hasCommand: Bool) {
        var desk = desk()
        _ = desk.apply(capabilities: Self.full, server: server, at: at(0))
        let steps = desk.apply(reply(request(1)), at: at(1))
        let command = "To allow it, type: locctl authorize me --when-in-use\n"
        #expect(shown(steps)?.body.hasPrefix(command) == hasCommand)
        #expect(desk.apply(.never, at: at(2)).count == 1, "its menu works all the same")
    }

    @Test func floodOfRequestsIsOneQuestionAMinute() {
        var desk = desk()
        var count = 0
        for second in 0..<600 {
            if shown(desk.apply(reply(request(Int64(second))), at: at(Double(second)))) != nil { count += 1 }
            if shown(desk.advance(to: at(Double(second) + 0.5))) != nil { count += 1 }
        }
        #expect(count == 10)
    }

    @Test func changedRequestReplacesTheQuestionAfterThePause() {
        var desk = desk()
        _ = desk.apply(reply(request(1)), at: at(10))
        #expect(desk.apply(reply(request(2, programs: ["camera"])), at: at(20)) == [])
        #expect(desk.deadline == at(70) && desk.advance(to: at(69.9)) == [])
        #expect(shown(desk.advance(to: at(70)))?.body.contains("camera") == true)
    }

    /// Who clicks on what was asked before has not answered what is asked now.
    @Test func answerToAnOutdatedQuestionAsksAnew() {
        var desk = desk()
        _ = desk.apply(reply(request(1)), at: at(10))
        _ = desk.apply(reply(request(2)), at: at(20))
        #expect(
            desk.apply(.whileLoggedIn, at: at(21))
                == [.decide(DecideParameters(number: 1, authorization: .authorizedWhenInUse, accuracy: .full))])
        let steps = desk.apply(.outdated, at: at(22))
        #expect(steps.first == .withdraw && shown(steps) != nil)
    }

    @Test func refusalIsToldWithItsReason() {
        var desk = desk()
        _ = desk.apply(reply(request(1)), at: at(1))
        _ = desk.apply(.whileLoggedIn, at: at(2))
        #expect(
            desk.apply(.refused("polkit refuses it"), at: at(3))
                == [
                    .withdraw,
                    .tell(QuestionText(summary: "Nothing is decided about the position", body: "polkit refuses it")),
                ])
        #expect(desk.apply(reply(request(1)), at: at(100)) == [])
    }

    @Test func serverThatRestartsIsShownTheQuestionOnceMore() {
        var desk = desk()
        _ = desk.apply(reply(request(1)), at: at(1))
        #expect(desk.apply(capabilities: nil, at: at(2)) == [])
        #expect(shown(desk.apply(capabilities: Self.full, at: at(3))) != nil)
        #expect(desk.apply(capabilities: nil, at: at(4)) == [])
        #expect(desk.apply(capabilities: Self.full, at: at(5)) == [], "a server that ends by it is not ended again")
        #expect(desk.apply(capabilities: Self.full, at: at(500)) == [])
    }

    @Test func daemonThatIsGoneTakesTheQuestionAway() {
        var desk = desk()
        _ = desk.apply(reply(request(1)), at: at(1))
        #expect(desk.apply(nil, at: at(2)) == [.withdraw])
        #expect(shown(desk.apply(reply(request(1)), at: at(3))) != nil, "it is the same question")
        #expect(desk.apply(nil, at: at(4)) == [.withdraw])
        #expect(desk.apply(reply(request(2)), at: at(5)) == [] && desk.deadline == at(63))
    }

    @Test func withoutButtonsTheCommandIsTold() {
        var desk = desk(["body"])
        let ceiling = DecisionCeiling(authorization: .authorizedAlways, accuracy: .reduced, longest: 3600)
        let steps = desk.apply(reply(request(1, programs: []), ceiling: ceiling), at: at(1))
        #expect(
            steps == [
                .tell(
                    QuestionText(
                        summary: "A program asks for your position",
                        body: "To allow it, type: locctl authorize me --when-in-use --reduced --for 3600s"))
            ])
        #expect(desk.apply(reply(request(1, programs: []), ceiling: ceiling), at: at(100)) == [])
    }

    @Test func withoutARightTheAdministratorIsNamed() {
        var desk = desk()
        let steps = desk.apply(reply(request(1, programs: []), ceiling: nil), at: at(1))
        #expect(
            steps == [
                .tell(
                    QuestionText(
                        summary: "A program asks for your position",
                        body: "An administrator can allow it: sudo locctl authorize uid:1000"))
            ])
    }

    @Test func withoutAServerNothingIsLost() {
        var desk = desk(nil)
        #expect(desk.apply(reply(request(1)), at: at(1)) == [] && desk.deadline == nil)
        #expect(shown(desk.apply(capabilities: Self.full, at: at(900))) != nil)
    }

    @Test func ceilingLimitsTheAnswers() {
        var desk = desk()
        let ceiling = DecisionCeiling(authorization: .authorizedWhenInUse, accuracy: .reduced, longest: 60)
        guard case .show(_, let answers, 60)? = desk.apply(reply(request(1), ceiling: ceiling), at: at(1)).first else {
            Issue.record("no question")
            return
        }
        #expect(answers == [.onlyRoughly, .never])
        #expect(
            desk.apply(.onlyRoughly, at: at(2))
                == [
                    .decide(
                        DecideParameters(
                            number: 1, authorization: .authorizedWhenInUse, accuracy: .reduced, duration: 60))
                ])
    }

    /// The dialog on the screen is another program's: the person is told, and asked again.
    @Test func answerWhilePolkitAsksForAnotherIsAskedAgain() {
        var desk = desk()
        _ = desk.apply(reply(request(1)), at: at(1))
        _ = desk.apply(.whileLoggedIn, at: at(2))
        let steps = desk.apply(.busy, at: at(3))
        #expect(steps.first == .withdraw && shown(steps) != nil)
        guard case .tell(let notice) = steps[1] else {
            Issue.record("nothing is told")
            return
        }
        #expect(notice.body.contains("Another program of yours"))
    }

    @Test func whatProgramsSayOfThemselvesIsReplacedAfterThePause() {
        var desk = desk()
        _ = desk.apply(reply(request(1, programs: ["maps"])), at: at(0))
        #expect(desk.apply(reply(request(1, programs: ["spy"])), at: at(1)) == [] && desk.deadline == at(60))
        #expect(shown(desk.advance(to: at(60)))?.body.contains("spy") == true)
    }

    @Test func alwaysIsGrantedWhereItMayBe() {
        var desk = desk()
        var request = request(1)
        request.level = .always
        let ceiling = DecisionCeiling(authorization: .authorizedAlways, accuracy: .full)
        let text = shown(desk.apply(reply(request, ceiling: ceiling), at: at(1)))
        #expect(text?.body.contains("also while you are not logged in.\n") == true)
        #expect(
            desk.apply(.whileLoggedIn, at: at(2))
                == [.decide(DecideParameters(number: 1, authorization: .authorizedAlways, accuracy: .full))])
    }

    @Test func firstUseOfADayIsToldIfThePersonWantsThat() {
        var reply = reply()
        reply.firstUse = FirstUse(time: UTCTime(seconds: 1_790_000_000), program: "maps")
        var silent = desk()
        #expect(silent.apply(reply, at: at(1)) == [])
        var desk = QuestionDesk(Texts(.english), uid: 1000, showsUse: true)
        _ = desk.apply(capabilities: Self.full, at: at(0))
        #expect(
            desk.apply(reply, at: at(1))
                == [
                    .tell(
                        QuestionText(
                            summary: "A program gets your position today",
                            body: "To end it, type: locctl deny me\nIt says of itself: “maps”."))
                ])
        #expect(desk.apply(reply, at: at(2)) == [])
        reply.firstUse = FirstUse(time: UTCTime(seconds: 1_790_086_400))
        reply.ceiling = nil
        guard case .tell(let text)? = desk.apply(reply, at: at(3)).first else {
            Issue.record("nothing is told")
            return
        }
        #expect(text.body == "To end it, type: sudo locctl deny uid:1000")
    }
}
