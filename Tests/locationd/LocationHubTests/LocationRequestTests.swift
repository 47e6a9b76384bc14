import LocationHub
@_spi(Programs) import LocationModel
import Testing

@Suite struct LocationRequestTests {
    private func location(_ answer: LocationAnswer?) -> Location? {
        if case .location(let location) = answer { location } else { nil }
    }

    @Test func newFixIsTheAnswer() {
        var server = ServerDouble()
        server.request(1)
        #expect(server.demands == [true])
        server.pass(2)
        server.fix()
        #expect(location(server.answer(1))?.sequence == 1)
        #expect(server.hub.requestCount == 0)
        server.pass(5)
        #expect(server.demands == [true, false])
    }

    @Test func youngEnoughLocationIsTheAnswerAtOnce() {
        var server = ServerDouble()
        let id = server.watch()
        server.fix()
        server.end(id)
        server.pass(60)
        server.request(1) { $0.maximumAge = 60 }
        #expect(location(server.answer(1))?.sequence == 1)
        #expect(server.demands == [true, false])
        server.request(2) { $0.maximumAge = 59.9 }
        #expect(server.answer(2) == nil)
        #expect(server.demands == [true, false, true])
    }

    @Test func cachedLocationMustBeAccurateEnough() {
        var server = ServerDouble()
        _ = server.watch()
        server.fix { $0.horizontalAccuracy = 50 }
        server.request(1) {
            $0.maximumAge = 60
            $0.requiredAccuracy = 10
        }
        #expect(server.answer(1) == nil)
        server.pass(1)
        server.fix { $0.horizontalAccuracy = 10 }
        #expect(location(server.answer(1))?.sequence == 2)
    }

    @Test func accuracyIsWaitedForAndTheBestIsHandedOver() {
        var server = ServerDouble()
        server.request(1) {
            $0.timeout = 10
            $0.requiredAccuracy = 3
        }
        for accuracy in [40.0, nil, 12, 20, nil] {
            server.fix { $0.horizontalAccuracy = accuracy }
            server.pass(1)
        }
        #expect(server.answer(1) == nil)
        server.pass(4.999)
        #expect(server.answer(1) == nil)
        server.pass(0.001)
        guard case .timedOut(let best) = server.answer(1) else {
            Issue.record("it is over")
            return
        }
        #expect(best?.horizontalAccuracy == 12)
    }

    @Test func newestOfEquallyGoodIsTheBest() {
        var server = ServerDouble()
        server.request(1) { $0.requiredAccuracy = 1 }
        server.fixes(3)
        server.pass(40)
        guard case .timedOut(let best) = server.answer(1) else {
            Issue.record("it is over")
            return
        }
        #expect(best?.sequence == 3)
    }

    @Test func timeOutWithoutFixHasNoBest() {
        var server = ServerDouble()
        server.request(1) { $0.timeout = 7 }
        server.pass(7)
        #expect(server.answer(1) == .timedOut(best: nil))
        server.pass(5)
        #expect(server.demands == [true, false])
    }

    @Test func noPatienceIsAnsweredAtOnceWithTheFreshest() {
        var server = ServerDouble()
        _ = server.watch()
        server.fix()
        server.pass(1)
        server.request(1) { $0.timeout = 0 }
        guard case .timedOut(let best) = server.answer(1) else {
            Issue.record("it is over")
            return
        }
        #expect(best?.sequence == 1)
    }

    @Test func unreachableReceiverIsTheReason() {
        var server = ServerDouble()
        server.request(1) { $0.timeout = 5 }
        server.tell(.condition(.unavailable(reason: "gpsd cannot be reached")))
        #expect(server.answer(1) == nil, "it may come back in time")
        server.pass(5)
        #expect(server.answer(1) == .unavailable(reason: "gpsd cannot be reached", best: nil))
    }

    @Test func passiveRequestStartsNothing() {
        var server = ServerDouble()
        server.request(1) { $0.passive = true }
        guard case .unavailable(let reason, nil) = server.answer(1) else {
            Issue.record("it is refused")
            return
        }
        #expect(reason.contains("passive"))
        #expect(server.demands.isEmpty)
    }

    @Test func passiveRequestSharesWhatOthersCause() {
        var server = ServerDouble()
        let id = server.watch()
        server.request(1) { $0.passive = true }
        server.request(2) {
            $0.passive = true
            $0.timeout = 4
        }
        server.end(id)
        server.pass(4)
        #expect(server.answer(2) == .timedOut(best: nil))
        server.fix()
        #expect(location(server.answer(1))?.sequence == 1)
        server.pass(1)
        #expect(server.demands == [true, false], "a passive request keeps nothing running")
    }

    @Test func passiveRequestIsRefusedWhenTheSourcesStop() {
        var server = ServerDouble()
        let id = server.watch()
        server.end(id)
        server.request(1) { $0.passive = true }
        server.pass(4)
        #expect(server.answer(1) == nil, "the sources linger, and a fix may come")
        server.pass(1)
        guard case .unavailable(let reason, nil) = server.answer(1) else {
            Issue.record("it is refused")
            return
        }
        #expect(reason.contains("nobody else asks"))
    }

    @Test func passiveRequestIsHandedTheBestKnown() {
        var server = ServerDouble { $0.linger = 0 }
        let id = server.watch()
        server.fix()
        server.end(id)
        server.pass(1)
        server.request(1) { $0.passive = true }
        guard case .unavailable(_, let best) = server.answer(1) else {
            Issue.record("it is refused")
            return
        }
        #expect(best?.sequence == 1)
    }

    @Test func concurrentRequestsShareOneStartAndOneFix() {
        var server = ServerDouble()
        for number in 1...100 { server.request(number) }
        server.pass(1)
        server.fix()
        for number in 1...100 { #expect(location(server.answer(number))?.sequence == 1) }
        server.pass(100)
        #expect(server.demands == [true, false])
    }

    @Test func answersComeInTheOrderOfAsking() {
        var server = ServerDouble()
        for number in [3, 1, 2] { server.request(number) }
        let actions = server.hub.applyEvent(.fix(.fix(at: server.now)), from: 0, at: server.now)
        let order = actions.compactMap { if case .answer(let id, _) = $0 { id.number } else { nil } }
        #expect(order == [1, 2, 3])
    }

    @Test func cancelledRequestIsNotAnsweredAndEndsItsDemand() {
        var server = ServerDouble()
        server.request(1)
        server.cancel(1)
        server.cancel(2)
        server.fix()
        #expect(server.answer(1) == nil)
        server.pass(5)
        #expect(server.demands == [true, false])
    }

    @Test func unfollowedReceiverIsNoAnswer() {
        var server = ServerDouble()
        _ = server.watch()
        server.fix("/dev/gps0")
        server.request(1)
        server.fix("/dev/gps1")
        #expect(server.answer(1) == nil)
    }

    @Test func sleepPastTheDeadlineIsATimeOut() {
        var server = ServerDouble()
        server.request(1)
        server.sleep(9 * 3600)
        #expect(server.answer(1) == .timedOut(best: nil))
    }
}
