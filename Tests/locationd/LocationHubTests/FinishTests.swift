import LocationHub
@_spi(Programs) import LocationModel
import Testing

@Suite struct FinishTests {
    @Test func everyWatchGetsAFinalReplyWithTheReason() {
        var server = ServerDouble()
        let ids = [server.watch(), server.watch(.denied), server.watch { $0.passive = true }]
        server.fix()
        server.clear()
        server.perform(server.hub.finish(reason: "stopping", at: server.now))
        for id in ids {
            #expect(server.updates(id).count == 1)
            #expect(server.updates(id).first?.isFinal == true)
            #expect(server.statuses(id).map(\.reason) == ["stopping"])
            #expect(server.states(id) == [.stopped])
        }
        #expect(server.statuses(ids[1]).map(\.authorization) == [.denied])
        #expect(server.hub.watchCount == 0)
    }

    @Test func slowWatchIsToldWhatItLost() {
        var server = ServerDouble()
        let id = server.watch()
        server.stalled = [id]
        server.fixes(4)
        server.clear()
        server.perform(server.hub.finish(reason: "stopping", at: server.now))
        #expect(server.updates(id).map(\.dropped) == [3])
    }

    @Test func requestsAreAnsweredWithTheReason() {
        var server = ServerDouble()
        server.request(1)
        server.perform(server.hub.finish(reason: "stopping", at: server.now))
        #expect(server.answer(1) == .unavailable(reason: "stopping", best: nil))
        #expect(server.hub.requestCount == 0)
    }
}
