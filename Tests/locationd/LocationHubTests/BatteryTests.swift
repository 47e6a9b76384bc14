import LocationHub
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

/// Sources off below a level of the battery, and a gauge that lies.
@Suite struct BatteryTests {
    private func server(minimum: Int? = 10) -> ServerDouble {
        ServerDouble {
            $0.minimumBattery = minimum
            $0.linger = 0
        }
    }

    /// The next requested reading comes.
    private func read(_ server: inout ServerDouble, _ reading: BatteryReading) -> String? {
        server.pass(61)
        let (actions, fault) = server.hub.applyBattery(reading, at: server.now)
        server.perform(actions)
        return fault
    }

    private func discharge(_ server: inout ServerDouble, to percent: Double) {
        #expect(read(&server, .charge(percent: percent, isDischarging: true)) == nil)
    }

    private var isOn: (ServerDouble) -> Bool { { $0.demands.last ?? false } }

    @Test func belowTheLevelSourcesStopAndAllAreTold() {
        var server = server()
        let id = server.watch()
        #expect(server.demands == [true])
        discharge(&server, to: 10)
        #expect(isOn(server), "10 is not below 10")
        discharge(&server, to: 8)
        #expect(!isOn(server))
        #expect(server.statuses(id).last?.source == .unavailable)
        #expect(
            server.statuses(id).last?.reason
                == "the battery is at 8 %, below the 10 % of power.minimum-battery")
        discharge(&server, to: 7)
        #expect(server.statuses(id).last?.reason?.hasPrefix("the battery is at 7 %") == true)
    }

    @Test func sourcesRunAgainAboveTheLevelAndALittleMore() {
        var server = server()
        let id = server.watch()
        discharge(&server, to: 9)
        discharge(&server, to: 12)
        #expect(!isOn(server), "between the two levels nothing changes")
        discharge(&server, to: 13)
        #expect(isOn(server))
        #expect(server.statuses(id).last?.source == .starting)
        #expect(server.statuses(id).last?.reason == nil)
    }

    @Test func sourcesRunAgainWhenTheBatteryCharges() {
        var server = server()
        _ = server.watch()
        discharge(&server, to: 5)
        #expect(!isOn(server))
        #expect(read(&server, .charge(percent: 5, isDischarging: false)) == nil)
        #expect(isOn(server))
    }

    @Test func itIsReadWhileSomebodyNeedsASourceAndOnceAMinute() {
        var server = server()
        server.pass(3600)
        #expect(server.batteryRequests == 0)
        let id = server.watch()
        #expect(server.batteryRequests == 1)
        server.pass(3600)
        #expect(server.batteryRequests == 1, "one that does not come is not requested again")
        _ = read(&server, .charge(percent: 50, isDischarging: true))
        #expect(server.batteryRequests == 2, "and the next is due then")
        server.perform(server.hub.applyBattery(.charge(percent: 50, isDischarging: true), at: server.now).actions)
        for _ in 0..<50 {
            server.pass(1)
            server.end(server.watch())
        }
        #expect(server.batteryRequests == 2, "clients that come and go change nothing")
        server.pass(11)
        #expect(server.batteryRequests == 3)
        server.end(id)
        server.perform(server.hub.applyBattery(.noBattery, at: server.now).actions)
        server.pass(3600)
        #expect(server.batteryRequests == 3)
        #expect(server.hub.nextDeadline == nil)
    }

    @Test func withoutALevelItIsNeverRead() {
        var server = server(minimum: nil)
        _ = server.watch()
        server.pass(3600)
        #expect(server.batteryRequests == 0)
        #expect(server.hub.batteryState == nil)
    }

    @Test func aRequestIsAnsweredWithTheReason() {
        var server = server()
        let id = server.watch()
        server.fixes(1)
        server.request(1) {
            $0.requiredAccuracy = 0.5
            $0.timeout = 3600
        }
        discharge(&server, to: 8)
        #expect(server.answer(1) == nil, "the next reading is under way")
        server.perform(server.hub.applyBattery(.charge(percent: 8, isDischarging: true), at: server.now).actions)
        guard case .unavailable(let reason, _)? = server.answer(1) else {
            Issue.record("\(String(describing: server.answer(1)))")
            return
        }
        #expect(reason.contains("power.minimum-battery"))
        // Where the last reading is old, a new one decides.
        server.end(id)
        server.pass(3600)
        server.request(2)
        #expect(server.answer(2) == nil)
        #expect(!isOn(server))
        server.perform(server.hub.applyBattery(.charge(percent: 30, isDischarging: false), at: server.now).actions)
        #expect(isOn(server))
        server.fix()
        guard case .location? = server.answer(2) else {
            Issue.record("\(String(describing: server.answer(2)))")
            return
        }
    }

    @Test(
        arguments: [
            .charge(percent: 250, isDischarging: true), .charge(percent: -1, isDischarging: true),
            .charge(percent: .nan, isDischarging: true), .charge(percent: .infinity, isDischarging: true),
            .unusable(reason: "BAT0 claims a charge of full"),
        ] as [BatteryReading])
    func whatCannotBeChangesNothingAndIsCounted(_ lie: BatteryReading) {
        var server = server()
        _ = server.watch()
        discharge(&server, to: 50)
        #expect(read(&server, lie) != nil)
        #expect(isOn(server))
        discharge(&server, to: 41)
        discharge(&server, to: 30)
        discharge(&server, to: 20)
        discharge(&server, to: 9)
        #expect(!isOn(server))
        for _ in 0..<5 { #expect(read(&server, lie) != nil) }
        #expect(!isOn(server), "nor does it let the sources run")
        #expect(server.hub.batteryState?.faults == 6)
        for _ in 0..<5 { #expect(read(&server, lie) != nil) }
        #expect(isOn(server), "after ten in a row nothing says any more that it is low")
    }

    @Test func aJumpCountsWhenTheNextReadingConfirmsIt() {
        var server = server()
        _ = server.watch()
        discharge(&server, to: 60)
        #expect(read(&server, .charge(percent: 3, isDischarging: true)) != nil)
        #expect(isOn(server))
        discharge(&server, to: 60)
        #expect(read(&server, .charge(percent: 3, isDischarging: true)) != nil)
        discharge(&server, to: 4)
        #expect(!isOn(server))
    }

    @Test func aBatteryThatVanishesLetsTheSourcesRun() {
        var server = server()
        _ = server.watch()
        discharge(&server, to: 5)
        #expect(read(&server, .noBattery) == "the battery has vanished")
        #expect(!isOn(server))
        discharge(&server, to: 5)
        #expect(!isOn(server), "it was a loose contact")
        _ = read(&server, .noBattery)
        _ = read(&server, .noBattery)
        #expect(isOn(server))
        #expect(read(&server, .noBattery) == nil, "a machine without a battery is nothing unusual")
    }

    @Test func aLoosePlugDoesNotSwitchTheSourcesEachTime() {
        var server = server()
        _ = server.watch()
        discharge(&server, to: 8)
        for _ in 0..<60 {
            _ = read(&server, .charge(percent: 8, isDischarging: false))
            discharge(&server, to: 8)
        }
        #expect(server.demands.count <= 4, "\(server.demands.count) changes in two hours")
    }

    /// Whatever a gauge says, the sources change at most each ten minutes on average, and nothing traps.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func aGaugeThatSaysAnythingSwitchesSeldom(_ seed: UInt64) {
        var server = server(minimum: 50)
        var random = SeededGenerator(seed: seed)
        _ = server.watch()
        for _ in 0..<1000 {
            let reading: BatteryReading =
                switch Int.random(in: 0..<10, using: &random) {
                case 0: .noBattery
                case 1: .unusable(reason: "?")
                case 2: .charge(percent: Double.random(in: -1e9...1e9, using: &random), isDischarging: true)
                default:
                    .charge(
                        percent: Double(Int.random(in: 0...100, using: &random)),
                        isDischarging: Bool.random(using: &random))
                }
            _ = read(&server, reading)
        }
        #expect(server.demands.count < 200, "\(server.demands.count) changes in 1000 readings")
        #expect((server.hub.batteryState?.faults ?? 0) > 100)
    }

    @Test func theLevelCanChangeAndBeRemoved() {
        var server = server()
        _ = server.watch()
        discharge(&server, to: 8)
        #expect(!isOn(server))
        var settings = server.hub.settings
        settings.minimumBattery = nil
        server.perform(server.hub.apply(settings, at: server.now))
        #expect(isOn(server))
        settings.minimumBattery = 20
        let before = server.batteryRequests
        server.perform(server.hub.apply(settings, at: server.now))
        #expect(server.batteryRequests >= before)
        discharge(&server, to: 8)
        #expect(!isOn(server))
    }

    /// A monitor that waits for its next fix long from now is no reason to read it.
    @Test func aRestingMonitorIsHeldWhenItsTimeComes() throws {
        var server = server()
        _ = try server.monitor([.work])
        server.perform(server.hub.applyBattery(.charge(percent: 8, isDischarging: true), at: server.now).actions)
        #expect(!isOn(server))
        server.perform(server.hub.applyBattery(.charge(percent: 8, isDischarging: false), at: server.now).actions)
        #expect(isOn(server))
        server.fix { $0.horizontalAccuracy = 5 }
        #expect(!isOn(server))
        let requests = server.batteryRequests
        server.pass(60)
        #expect(server.batteryRequests <= requests + 1)
    }
}
