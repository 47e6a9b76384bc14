import LocationHub
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

/// Whose requests kept the receivers on, and for how long.
@Suite struct ReceiverTimeTests {
    private func watch(_ server: inout ServerDouble, _ account: Int, passive: Bool = false) -> WatchID {
        var request = WatchRequest()
        request.passive = passive
        var watch: WatchID?
        let actions = server.hub.addWatch(request, permission: .granted, account: account, at: server.now) {
            watch = $0
        }
        guard let watch else { preconditionFailure("a watch that begins has a number") }
        server.perform(actions)
        return watch
    }

    private func isClose(_ one: Double, _ other: Double) -> Bool { abs(one - other) < 1e-6 }

    @Test func timeIsDividedEvenlyAmongThoseThatNeedIt() {
        var server = ServerDouble { $0.linger = 5 }
        let first = watch(&server, 1)
        server.pass(10)
        let second = watch(&server, 2)
        let passive = watch(&server, 3, passive: true)
        server.pass(20)
        server.end(first)
        server.pass(30)
        #expect(isClose(server.hub.receiverTime(of: 1, at: server.now), 10 + 10))
        #expect(isClose(server.hub.receiverTime(of: 2, at: server.now), 10 + 30))
        #expect(server.hub.receiverTime(of: 3, at: server.now) == 0, "a passive watch causes nothing")
        server.end(second)
        server.end(passive)
        server.pass(1000)
        let (total, unclaimed) = server.hub.receiverTime(at: server.now)
        #expect(isClose(total, 65))
        #expect(isClose(unclaimed, 5), "the time after the last demand is nobody's")
        #expect(isClose(server.hub.closeAccount(2, at: server.now), 40))
        #expect(server.hub.receiverTime(of: 2, at: server.now) == 0)
    }

    @Test func requestCountsUntilItIsAnswered() {
        var server = ServerDouble { $0.linger = 0 }
        server.perform(
            server.hub.addRequest(
                RequestID(number: 1), LocationRequest(), permission: .granted, account: 7, at: server.now))
        server.pass(12)
        server.fix()
        server.pass(100)
        #expect(isClose(server.hub.receiverTime(of: 7, at: server.now), 12))
        #expect(isClose(server.hub.receiverTime(at: server.now).total, 12))
    }

    @Test func refreshIsNoClients() {
        var server = ServerDouble {
            $0.linger = 0
            $0.refreshInterval = 60
        }
        let id = watch(&server, 1, passive: true)
        server.pass(70)
        server.fix()
        server.pass(1)
        #expect(isClose(server.hub.receiverTime(at: server.now).unclaimed, 10))
        #expect(server.hub.receiverTime(of: 1, at: server.now) == 0)
        server.end(id)
    }

    @Test func whoLosesAndGetsPermissionCountsMeanwhileForNothing() {
        var server = ServerDouble { $0.linger = 0 }
        let id = watch(&server, 1)
        server.pass(5)
        server.permit(.denied, id)
        server.pass(50)
        server.permit(.granted, id)
        server.pass(3)
        #expect(isClose(server.hub.receiverTime(of: 1, at: server.now), 8))
    }

    /// A monitor that knows where the machine is causes nothing until it needs the next fix.
    @Test func monitorCountsWhileItSearches() throws {
        var server = ServerDouble { $0.linger = 0 }
        let request = MonitorRequest(name: nil, subjects: MonitorSubjects(regions: [.work]))
        var monitor: WatchID?
        let actions = try server.hub.addMonitor(
            request, of: MonitorOwner(uid: 1000), permission: .granted, account: 1, at: server.now
        ) { monitor = $0 }
        server.perform(actions)
        let id = try #require(monitor)
        server.pass(4)
        server.fix { $0.horizontalAccuracy = 5 }
        #expect(server.demands == [true, false])
        #expect(isClose(server.hub.receiverTime(of: 1, at: server.now), 4))
        // Another client's demand is not the monitor's.
        let watch = watch(&server, 2)
        server.pass(2)
        server.end(watch)
        #expect(isClose(server.hub.receiverTime(of: 1, at: server.now), 4))
        #expect(isClose(server.hub.receiverTime(of: 2, at: server.now), 2))
        server.end(id)
    }

    /// Whatever happens, the shares and what is nobody's are the whole.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func sharesAddUpToTheTotal(_ seed: UInt64) {
        var server = ServerDouble { $0.linger = 2 }
        var random = SeededGenerator(seed: seed)
        var open: [(id: WatchID, account: Int)] = []
        var closed = 0.0
        for account in 1...500 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                guard open.count < 20 else { continue }
                let isPassive = Int.random(in: 0..<4, using: &random) == 0
                open.append((watch(&server, account, passive: isPassive), account))
            case 2:
                guard let last = open.popLast() else { continue }
                server.end(last.id)
                closed += server.hub.closeAccount(last.account, at: server.now)
            default: server.setEnabled(Int.random(in: 0..<4, using: &random) > 0)
            }
            server.pass(Double(Int.random(in: 0..<5000, using: &random)) / 1000)
        }
        let live = open.reduce(0) { $0 + server.hub.receiverTime(of: $1.account, at: server.now) }
        let (total, unclaimed) = server.hub.receiverTime(at: server.now)
        #expect(total > 100)
        #expect(abs(live + closed + unclaimed - total) < 1e-6)
    }
}
