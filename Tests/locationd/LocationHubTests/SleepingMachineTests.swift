import LocationHub
@_spi(Programs) import LocationModel
import Testing

/// Sources off while the machine sleeps. ``ServerDouble/sleep(_:)`` lets time pass in which no timer fires.
@Suite struct SleepingMachineTests {
    private func suspend(_ server: inout ServerDouble) {
        server.perform(server.hub.prepareForSleep(at: server.now))
    }

    private func resume(_ server: inout ServerDouble) {
        server.perform(server.hub.resume(at: server.now))
    }

    @Test func sourcesStopBeforeTheMachineSleepsAndRunAgainAfterwards() {
        var server = ServerDouble()
        let id = server.watch()
        server.fixes(3)
        suspend(&server)
        #expect(server.demands == [true, false], "at once, without lingering")
        #expect(server.statuses(id).last?.source == .stopped)
        #expect(server.statuses(id).last?.reason == "the machine is going to sleep")
        server.sleep(8 * 3600)
        resume(&server)
        #expect(server.demands == [true, false, true])
        #expect(server.states(id) == [.stopped, .starting, .tracking, .stopped, .starting])
        #expect(server.statuses(id).last?.reason == nil)
        server.fix()
        #expect(server.locations(id).count == 4)
    }

    @Test func whoBecomesAClientMeanwhileIsToldToo() {
        var server = ServerDouble()
        suspend(&server)
        let id = server.watch()
        #expect(server.demands == [])
        #expect(server.statuses(id).last?.reason == "the machine is going to sleep")
        resume(&server)
        #expect(server.demands == [true])
    }

    @Test func aRequestWaitsForTheEndOfTheSleep() {
        var server = ServerDouble()
        server.request(1) { $0.timeout = 86_400 }
        suspend(&server)
        #expect(server.answer(1) == nil)
        server.sleep(3600)
        resume(&server)
        server.fix()
        guard case .location? = server.answer(1) else {
            Issue.record("\(String(describing: server.answer(1)))")
            return
        }
    }

    /// Timers fire when the machine is awake, and find that time has passed.
    @Test func theSourcesRunAgainIfNobodySaysThatTheMachineIsAwake() {
        var server = ServerDouble()
        _ = server.watch()
        suspend(&server)
        server.sleep(8 * 3600)
        #expect(server.demands == [true, false, true])
    }

    @Test func theSourcesRunAgainIfTheMachineDoesNotSleepAtAll() {
        var server = ServerDouble()
        _ = server.watch()
        suspend(&server)
        server.pass(59.9)
        #expect(server.demands == [true, false])
        server.pass(0.2)
        #expect(server.demands == [true, false, true])
    }

    @Test func nothingHappensAfterwardsWithoutClients() {
        var server = ServerDouble()
        suspend(&server)
        server.pass(120)
        #expect(server.hub.nextDeadline == nil)
        resume(&server)
        #expect(server.demands == [])
    }

    @Test func monitorsSearchAgainAfterwards() throws {
        var server = ServerDouble { $0.linger = 0 }
        _ = try server.monitor([.work])
        #expect(server.demands == [true])
        suspend(&server)
        #expect(server.demands == [true, false])
        server.sleep(30)
        resume(&server)
        #expect(server.demands == [true, false, true])
    }
}
