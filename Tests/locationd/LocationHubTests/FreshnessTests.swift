import LocationHub
@_spi(Programs) import LocationModel
import Testing

@Suite struct FreshnessTests {
    @Test func silenceOfThreeSecondsIsLoss() {
        var server = ServerDouble()
        let id = server.watch()
        server.fixes(4)
        server.clear()
        server.pass(2.999)
        #expect(server.states(id).isEmpty)
        server.pass(0.001)
        #expect(server.states(id) == [.lost])
        #expect(server.statuses(id).first?.fixAge == 3)
        #expect(server.statuses(id).first?.reason?.contains("/dev/gps0") == true)
        server.pass(3600)
        #expect(server.states(id) == [.lost], "loss is told once")
        server.fix()
        #expect(server.states(id) == [.lost, .tracking])
    }

    @Test func staleAfterIsConfigurable() {
        var server = ServerDouble { $0.staleAfter = 20 }
        let id = server.watch()
        server.fixes(4)
        server.pass(19.9)
        #expect(server.states(id).last == .tracking)
        server.pass(0.1)
        #expect(server.states(id).last == .lost)
    }

    @Test func slowReceiverDoesNotFlap() {
        var server = ServerDouble()
        let id = server.watch()
        server.fixes(2, every: 10)
        server.clear()
        for number in 0..<20 {
            server.pass(10)
            server.fix(metresEast: Double(100 * number))
        }
        #expect(server.states(id).isEmpty, "a receiver of 0.1 Hz is tracking all the time")
        server.pass(29.9)
        #expect(server.states(id).isEmpty)
        server.pass(0.1)
        #expect(server.states(id) == [.lost], "three epochs without a fix")
    }

    @Test func slowReceiversLocationIsFreshForThreeEpochs() {
        var server = ServerDouble()
        _ = server.watch()
        server.fixes(3, every: 10)
        server.pass(25)
        let id = server.watch()
        #expect(server.sequences(id) == [3])
    }

    @Test func oneOutageDoesNotMakeTheHubPatient() {
        var server = ServerDouble()
        let id = server.watch()
        server.fixes(4)
        server.pass(600)
        server.fixes(2)
        server.clear()
        server.pass(3)
        #expect(server.states(id) == [.lost])
    }

    @Test func timeBetweenRunsIsNoEpoch() {
        var server = ServerDouble()
        let first = server.watch()
        server.fix()
        server.end(first)
        server.pass(3600)
        let id = server.watch()
        server.fix()
        server.pass(3)
        #expect(server.states(id).last == .lost)
    }

    @Test func partsOfOneEpochDoNotHurryTheHub() {
        var server = ServerDouble()
        let id = server.watch()
        for index in 0..<4 {
            if index > 0 { server.pass(9.5) }
            let time = UTCTime(seconds: 1_772_366_400 + 10 * Int64(index))
            server.fix { $0.timestamp = time }
            server.pass(0.5)
            server.fix {
                $0.timestamp = time
                $0.speed = 1
            }
        }
        server.clear()
        server.pass(29)
        #expect(server.states(id).isEmpty)
        server.pass(1)
        #expect(server.states(id) == [.lost])
    }

    @Test func sleepOfHoursIsLossAtOnce() {
        var server = ServerDouble()
        let id = server.watch()
        server.fixes(3)
        server.clear()
        server.sleep(7 * 3600)
        #expect(server.states(id) == [.lost])
        #expect(server.hub.freshLocation(at: server.now) == nil)
        server.fix()
        #expect(server.states(id) == [.lost, .tracking])
    }

    @Test func fixAfterSleepComesBeforeTheTimer() {
        var server = ServerDouble()
        let id = server.watch()
        server.fixes(3)
        server.now = server.now.advanced(bySeconds: 3600)
        server.fix()
        #expect(server.sequences(id) == [1, 2, 3, 4])
        #expect(server.hub.status(for: .granted, at: server.now).source == .tracking)
    }
}
