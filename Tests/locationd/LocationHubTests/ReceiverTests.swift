import LocationHub
@_spi(Programs) import LocationModel
import Testing

@Suite struct ReceiverTests {
    private func followed(_ server: ServerDouble) -> String? {
        server.hub.receiverReports.first { $0.isFollowed }?.key.device
    }

    @Test func firstReceiverWithFixIsFollowed() {
        var server = ServerDouble()
        let id = server.watch()
        server.fix("/dev/gps1")
        server.fix("/dev/gps0") { $0.horizontalAccuracy = 0.01 }
        #expect(server.locations(id).map(\.source.device) == ["/dev/gps1"])
        #expect(followed(server) == "/dev/gps1")
    }

    @Test func anotherIsFollowedWhenFixIsLost() {
        var server = ServerDouble()
        let id = server.watch()
        server.fix("/dev/gps0")
        server.fix("/dev/gps1")
        server.clear()
        server.tell(.noFix(device: "/dev/gps0"))
        #expect(followed(server) == "/dev/gps1")
        #expect(server.updates(id).isEmpty, "there is a fix all the time")
        server.pass(1)
        server.fix("/dev/gps1")
        #expect(server.sequences(id) == [3])
    }

    @Test func anotherIsFollowedAfterSilence() {
        var server = ServerDouble()
        let id = server.watch()
        server.fix("/dev/gps0")
        for _ in 0..<6 {
            server.pass(0.9)
            server.fix("/dev/gps1")
        }
        #expect(followed(server) == "/dev/gps1")
        #expect(server.states(id).last == .tracking)
        #expect(server.sequences(id) == [1, 5, 6, 7])
    }

    @Test func loserOfAnUnfollowedFixChangesNothing() {
        var server = ServerDouble()
        let id = server.watch()
        server.fix("/dev/gps0")
        server.fix("/dev/gps1")
        server.clear()
        server.tell(.noFix(device: "/dev/gps1"))
        server.tell(.noFix(device: "/dev/gps7"))
        #expect(followed(server) == "/dev/gps0")
        #expect(server.updates(id).isEmpty)
    }

    @Test func bestLiveReceiverIsChosen() {
        var server = ServerDouble(sources: 2)
        _ = server.watch()
        server.fix("/dev/lost")
        server.fix("/dev/flat", rank: 0) { $0.mode = .twoDimensional }
        server.fix("/dev/coarse", rank: 0) { $0.horizontalAccuracy = 9 }
        server.fix("/dev/unknown", rank: 0) { $0.horizontalAccuracy = nil }
        server.fix("/dev/fine", rank: 0) { $0.horizontalAccuracy = 2 }
        server.fix("/dev/second", rank: 1) { $0.horizontalAccuracy = 0.01 }
        for expected in ["/dev/fine", "/dev/coarse", "/dev/unknown", "/dev/flat", "/dev/second"] {
            server.tell(.noFix(device: followed(server)))
            #expect(followed(server) == expected)
        }
    }

    @Test func deadReceiverIsNotChosen() {
        var server = ServerDouble()
        let id = server.watch()
        server.fix("/dev/gps0")
        server.fix("/dev/gps1")
        for _ in 0..<3 {
            server.pass(1)
            server.fix("/dev/gps0")
        }
        server.tell(.noFix(device: "/dev/gps0"))
        #expect(followed(server) == "/dev/gps0")
        #expect(server.states(id).last == .lost)
    }

    @Test func lowerRankTakesOverAfterHysteresis() {
        var server = ServerDouble(sources: 2)
        let id = server.watch()
        server.fix("/dev/backup", rank: 1)
        for _ in 0..<4 {
            server.pass(0.5)
            server.fix("/dev/preferred", rank: 0)
        }
        #expect(followed(server) == "/dev/backup")
        server.pass(0.5)
        server.fix("/dev/preferred", rank: 0)
        #expect(followed(server) == "/dev/preferred")
        #expect(server.locations(id).map(\.source.device) == ["/dev/backup", "/dev/preferred"])
    }

    @Test func nobodyTakesOverWithAFixOlderThanTheOneShown() {
        var server = ServerDouble(sources: 2) { $0.failoverHysteresis = 2 }
        let id = server.watch()
        server.fix("/dev/backup", rank: 1)
        server.fix("/dev/preferred", rank: 0)
        server.pass(3)
        server.fix("/dev/backup", rank: 1)
        let earlier = server.now.advanced(bySeconds: -0.05)
        #expect(earlier.seconds(since: server.locations(id)[0].monotonicTime) > 2, "it has lasted for the hysteresis")
        server.fix("/dev/preferred", rank: 0) { $0.monotonicTime = earlier }
        #expect(followed(server) == "/dev/backup")
        #expect(server.locations(id).count == 2)
        server.pass(1)
        server.fix("/dev/preferred", rank: 0)
        #expect(followed(server) == "/dev/preferred")
        #expect(server.locations(id).map(\.source.device) == ["/dev/backup", "/dev/backup", "/dev/preferred"])
    }

    @Test func interruptedDeliveryBeginsHysteresisAnew() {
        var server = ServerDouble(sources: 2) { $0.failoverHysteresis = 2 }
        _ = server.watch()
        server.fix("/dev/preferred", rank: 0)
        server.tell(.noFix(device: "/dev/preferred"), rank: 0)
        server.fix("/dev/backup", rank: 1)
        for _ in 0..<8 {
            server.pass(0.5)
            server.fix("/dev/backup", rank: 1)
            server.fix("/dev/preferred", rank: 0)
            #expect(followed(server) == "/dev/backup")
            server.pass(0.5)
            server.fix("/dev/backup", rank: 1)
            server.tell(.noFix(device: "/dev/preferred"), rank: 0)
        }
    }

    @Test func higherRankNumberNeverTakesOverFromLiveOne() {
        var server = ServerDouble(sources: 2)
        _ = server.watch()
        server.fix("/dev/preferred", rank: 0)
        for _ in 0..<20 {
            server.pass(1)
            server.fix("/dev/backup", rank: 1)
            server.fix("/dev/preferred", rank: 0)
        }
        #expect(followed(server) == "/dev/preferred")
    }

    @Test func injectedLocationTakesOverAtOnce() {
        var server = ServerDouble()
        let id = server.watch()
        server.fix("/dev/gps0")
        server.fix(nil, rank: Hub.injectedRank) { $0.source = SourceInformation(name: "simulate", method: .simulated) }
        server.pass(1)
        server.fix("/dev/gps0")
        #expect(server.locations(id).map(\.source.isSimulated) == [false, true])
        server.pass(2)
        server.fix("/dev/gps0")
        #expect(server.locations(id).last?.source.isSimulated == false, "it gives way when it is stale")
    }

    @Test func injectedLocationReachesThePassiveWithoutDemand() {
        var server = ServerDouble()
        let id = server.watch { $0.passive = true }
        server.fix(nil, rank: Hub.injectedRank)
        #expect(server.sequences(id) == [1])
        #expect(server.states(id) == [.stopped, .tracking])
        server.pass(3)
        #expect(server.states(id).last == .stopped)
        #expect(server.demands.isEmpty)
    }

    @Test func injectedLocationIsRefusedWhileSwitchedOff() {
        var server = ServerDouble(isEnabled: false)
        let id = server.watch()
        server.fix(nil, rank: Hub.injectedRank)
        #expect(server.locations(id).isEmpty)
        #expect(server.hub.lastLocation == nil)
    }

    @Test func receiversAreForgottenSoThatMemoryIsBounded() {
        var server = ServerDouble()
        _ = server.watch()
        server.fix("/dev/gps0")
        for index in 0..<1000 {
            server.pass(0.5)
            server.fix("/dev/plugged\(index)")
            server.fix("/dev/gps0")
            #expect(server.hub.receiverReports.count <= 64)
        }
        #expect(followed(server) == "/dev/gps0")
        for index in 0..<1000 { server.tell(.noFix(device: "/dev/other\(index)")) }
        #expect(server.hub.receiverReports.count <= 64)
        #expect(followed(server) == "/dev/gps0")
    }
}
