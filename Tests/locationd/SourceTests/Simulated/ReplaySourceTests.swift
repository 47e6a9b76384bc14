@_spi(Programs) import LocationModel
import SimulatedSource
import Testing

@Suite struct ReplaySourceTests {
    private func fixes(at times: [Double]) throws -> [RecordingEntry] {
        try times.enumerated().map { RecordingEntry(at: $1, .location(try TemporaryRecording.fix($0))) }
    }

    private func moments(_ log: EventLog) -> [Double] {
        log.fixes.map { (($0.monotonicTime.seconds - 1000) * 1e6).rounded() / 1e6 }
    }

    @Test func tellsWhatWasRecordedButForMarksAndClocks() async throws {
        var invented = try TemporaryRecording.fix(9)
        invented.source = SourceInformation(name: "simulator", method: .simulated)
        let recorded = try (0..<9).map { try TemporaryRecording.fix($0) } + [invented]
        let file = try TemporaryRecording(
            entries: recorded.enumerated().map { RecordingEntry(at: Double($0), .location($1)) })
        let log = await ReplaySource(name: "tape", path: file.path, clock: ManualTime(lasting: 60).clock).events()
        #expect(log.fixes.count == 10)
        for (told, original) in zip(log.fixes, recorded) {
            var expected = original
            expected.source.name = "tape"
            expected.source.method = .replayed
            expected.sequence = 0
            expected.monotonicTime = told.monotonicTime
            #expect(told == expected)
        }
        #expect(log.fixes.map(\.source.isSimulated) == Array(repeating: false, count: 9) + [true])
    }

    @Test(arguments: [(1, 1), (2, 2), (0.5, 0.5), (1000, 1000), (0, 0.01), (1e9, 1000), (.nan, 1.0)])
    func keepsTheSpacingAtAnySpeed(asked: Double, speed: Double) async throws {
        let file = try TemporaryRecording(entries: try fixes(at: [100, 100.05, 100.1, 103]))
        let time = ManualTime(lasting: 1000)
        let log = await ReplaySource(name: "tape", path: file.path, speed: asked, clock: time.clock).events()
        let expected = [0, 0.05, 0.1, 3].map { ($0 / speed * 1e6).rounded() / 1e6 }
        #expect(zip(moments(log), expected).allSatisfy { abs($0 - $1) < 2e-6 })
        #expect(log.fixes.count == 4)
    }

    @Test func saysThatItHasEndedAndWaits() async throws {
        let file = try TemporaryRecording(entries: try fixes(at: [0, 1]), appending: #"{"at":2,"loca"#)
        let time = ManualTime(lasting: 10_000)
        let log = await ReplaySource(name: "tape", path: file.path, clock: time.clock).events()
        #expect(
            log.conditions == [
                .connected(reason: nil),
                .connected(reason: "the recording \(file.path) has ended; its last line is cut off"),
            ])
        #expect(log.fixes.count == 2)
        #expect(time.slept.count == 4)
    }

    @Test func loopsAfterAPauseOfOneSecond() async throws {
        let file = try TemporaryRecording(entries: try fixes(at: [5, 6, 8]))
        let log = await ReplaySource(
            name: "tape", path: file.path, speed: 2, loops: true, clock: ManualTime(lasting: 5.9).clock
        ).events()
        #expect(moments(log) == [0, 0.5, 1.5, 2, 2.5, 3.5, 4, 4.5, 5.5])
        #expect(log.conditions == [.connected(reason: nil)])
    }

    @Test func passesStatusOverAndGivesSatellitesTheirReceiver() async throws {
        let status = ServiceStatus(
            authorization: .authorizedAlways, accuracy: .full, enabled: true, source: SourceStatus(state: .searching))
        var heading = Heading()
        heading.pitch = 3
        let sky = [Satellite(gnss: "Galileo", id: 7, used: false)]
        let file = try TemporaryRecording(entries: [
            RecordingEntry(at: 0, .status(status)), RecordingEntry(at: 30, .satellites(sky)),
            RecordingEntry(at: 31, .location(try TemporaryRecording.fix(1))), RecordingEntry(at: 32, .satellites(sky)),
            RecordingEntry(at: 33, .heading(heading)), RecordingEntry(at: 34, .status(status)),
        ])
        let log = await ReplaySource(name: "tape", path: file.path, clock: ManualTime(lasting: 100).clock).events()
        let rest = log.events.filter { if case .fix = $0 { false } else { true } }
        #expect(
            rest == [
                .condition(.connected(reason: nil)),
                .satellites(sky, device: nil, at: BootInstant(seconds: 1000)),
                .satellites(sky, device: "/dev/ttyUSB0", at: BootInstant(seconds: 1002)),
                .heading(heading, device: "/dev/ttyUSB0", at: BootInstant(seconds: 1003)),
                .condition(.connected(reason: "the recording \(file.path) has ended")),
            ])
    }

    @Test func entriesDoNotBurstAfterASleepOfTheMachine() async throws {
        let file = try TemporaryRecording(entries: try fixes(at: [0, 1, 2, 3, 4]))
        let time = ManualTime(lasting: 1000, oversleep: [0, 500])
        let log = await ReplaySource(name: "tape", path: file.path, clock: time.clock).events()
        #expect(moments(log) == [0, 1, 502, 502, 503])
    }

    @Test func aLongGapIsSleptThroughInPieces() async throws {
        let file = try TemporaryRecording(entries: try fixes(at: [0, 10_000, 1e9]))
        let time = ManualTime(lasting: 20_000)
        let log = await ReplaySource(name: "tape", path: file.path, speed: 0.5, clock: time.clock).events()
        #expect(moments(log) == [0, 20_000])
        #expect(time.slept.allSatisfy { $0 <= 3600 })
    }

    @Test func timeThatRunsBackwardsIsPlayedAtOnce() async throws {
        let file = try TemporaryRecording(entries: try fixes(at: [100, 101, 3, 4]))
        let log = await ReplaySource(name: "tape", path: file.path, clock: ManualTime(lasting: 50).clock).events()
        #expect(moments(log) == [0, 1, 1, 2])
    }

    @Test(arguments: [false, true])
    func anUnreadableFileIsTriedEvery30Seconds(loops: Bool) async throws {
        let path = try TemporaryRecording([]).path
        let time = ManualTime(lasting: 100)
        let log = await ReplaySource(name: "tape", path: path, loops: loops, clock: time.clock).events()
        #expect(log.conditions.count == 4)
        for condition in log.conditions {
            guard case .unavailable(let reason) = condition else {
                Issue.record("\(condition)")
                continue
            }
            #expect(reason.hasPrefix("the recording \(path) cannot be played: it cannot be read (No such file"))
        }
        #expect(time.slept == [30, 30, 30, 30])
    }

    @Test(arguments: [false, true])
    func aRecordingWithNothingToPlayIsNoEndlessLoop(loops: Bool) async throws {
        let file = try TemporaryRecording(entries: [])
        let time = ManualTime(lasting: 45)
        let log = await ReplaySource(name: "tape", path: file.path, loops: loops, clock: time.clock).events()
        #expect(time.slept == [30, 30])
        #expect(log.conditions.count == 4)
        #expect(log.fixes.isEmpty)
    }

    @Test func aGarbageLineIsNamedAfterWhatWentBefore() async throws {
        let file = try TemporaryRecording(entries: try fixes(at: [0, 1]), appending: "garbage\n")
        let log = await ReplaySource(name: "tape", path: file.path, clock: ManualTime(lasting: 20).clock).events()
        #expect(log.fixes.count == 2)
        guard case .unavailable(let reason)? = log.conditions.last else {
            Issue.record("\(log.conditions)")
            return
        }
        #expect(reason.contains("line 4 is invalid"))
    }
}
