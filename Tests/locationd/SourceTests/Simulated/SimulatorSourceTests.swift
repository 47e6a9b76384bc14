@_spi(Programs) import LocationModel
import SimulatedSource
import Testing

@Suite struct SimulatorSourceTests {
    private func source(rate: Double, hasCompass: Bool = true, time: ManualTime) throws -> SimulatorSource {
        SimulatorSource(
            name: "car", drive: SimulatedDrive(start: try SimulatedDriveTests.berlin(), seed: 5), rate: rate,
            hasCompass: hasCompass, clock: time.clock)
    }

    @Test func connectsFirstAndMarksEveryFix() async throws {
        let log = try await source(rate: 5, time: ManualTime(lasting: 10.01)).events()
        #expect(log.events.first == .condition(.connected(reason: nil)))
        #expect(log.conditions.count == 1)
        #expect(log.fixes.count == 51)
        for fix in log.fixes {
            #expect(fix.source == SourceInformation(name: "car", method: .simulated))
            #expect(fix.mode == .threeDimensional)
            #expect(fix.sequence == 0)
        }
    }

    @Test(arguments: [(20, 20), (1, 1), (0.2, 1), (50, 20), (.nan, 1), (7.5, 7.5)] as [(Double, Double)])
    func ticksKeepTheirSpacing(asked: Double, rate: Double) async throws {
        let fixes = try await source(rate: asked, time: ManualTime(lasting: 60.01)).events().fixes
        #expect(fixes.count == Int(60 * rate) + 1)
        for (tick, fix) in fixes.enumerated() {
            #expect(abs(fix.monotonicTime.seconds - 1000 - Double(tick) / rate) < 1e-6)
            let utc = try #require(fix.timestamp).seconds(since: ManualTime.origin)
            #expect(abs(utc - fix.monotonicTime.seconds) < 1e-6)
        }
    }

    @Test func slowWorkAndLateWakingDoNotAddUp() async throws {
        let time = ManualTime(lasting: 100, oversleep: Array(repeating: 0.004, count: 5000))
        let log = EventLog()
        try await source(rate: 20, time: time).run { event in
            time.pass(0.001)
            log.deliver(event)
        }
        #expect((1990...2001).contains(log.fixes.count))
        let start = try #require(log.fixes.first?.timestamp)
        for (tick, fix) in log.fixes.enumerated() {
            // The epoch is on the schedule although the fix comes late.
            let epoch = try #require(fix.timestamp).seconds(since: start)
            #expect(abs(epoch - Double(tick) / 20) < 0.002)
        }
    }

    @Test func missedTicksAreLeftOut() async throws {
        let time = ManualTime(lasting: 20, oversleep: [0, 0, 7.33])
        let fixes = try await source(rate: 10, time: time).events().fixes
        let seconds = fixes.map { $0.monotonicTime.seconds - 1000 }
        #expect(seconds.prefix(3).elementsEqual([0, 0.1, 0.2], by: { abs($0 - $1) < 1e-6 }))
        #expect(abs(seconds[3] - 7.63) < 1e-6)
        #expect(abs(seconds[4] - 7.7) < 1e-6)
        let epoch = try #require(fixes[3].timestamp).seconds(since: ManualTime.origin)
        #expect(abs(epoch - 1007.6) < 1e-6)
        let drive = SimulatedDrive(start: try SimulatedDriveTests.berlin(), seed: 5)
        #expect(fixes[3].coordinate.distance(to: drive.moment(at: 7.6).coordinate) < 0.001)
    }

    @Test func skyAndCompassComeOncePerSecond() async throws {
        let log = try await source(rate: 20, time: ManualTime(lasting: 10.01)).events()
        let times = log.events.compactMap { event -> Double? in
            guard case .satellites(let satellites, device: nil, at: let moment) = event else { return nil }
            #expect(satellites.count > 9)
            return moment.seconds - 1000
        }
        #expect(times.count == 11)
        #expect(zip(times, 0...10).allSatisfy { abs($0 - Double($1)) < 1e-6 })
        let headings = log.events.compactMap { if case .heading(let heading, _, _) = $0 { heading } else { nil } }
        #expect(headings.count == 11)
        #expect(headings.allSatisfy { $0.timestamp != nil })
    }

    @Test func withoutCompassThereIsNoHeading() async throws {
        let log = try await source(rate: 1, hasCompass: false, time: ManualTime(lasting: 10.01)).events()
        #expect(!log.events.contains { if case .heading = $0 { true } else { false } })
        #expect(log.fixes.count == 11)
    }

    @Test func sameSeedTellsTheSame() async throws {
        let one = try await source(rate: 4, time: ManualTime(lasting: 200)).events()
        let two = try await source(rate: 4, time: ManualTime(lasting: 200)).events()
        #expect(one.events == two.events)
        #expect(one.events.count > 800)
    }
}
