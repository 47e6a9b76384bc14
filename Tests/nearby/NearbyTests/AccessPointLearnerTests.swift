import AccessPoints
import LocationModel
import Testing

@Suite struct AccessPointLearnerTests {
    private var learner = AccessPointLearner(AccuracyCalibration())
    private var memory: [HardwareAddress: KnownAccessPoint] = [:]

    private mutating func learn(
        _ accessPoints: [ReceivedAccessPoint], at coordinate: Coordinate, second: Double = 0, today: Int = 10
    ) -> AccessPointLesson {
        let lesson = learner.learn(
            observation(accessPoints, second: second), at: coordinate, accuracy: 5, memory, today: today)
        memory.merge(lesson.changed) { $1 }
        return lesson
    }

    @Test mutating func newOnesAreLearned() throws {
        let lesson = learn([received(1), received(2, network: "home_nomap")], at: try place())
        #expect(lesson.added == 1 && lesson.moved == 0 && memory.keys.sorted { $0.value < $1.value } == [address(1)])
        let record = try #require(memory[address(1)])
        #expect(try record.coordinate == place() && record.count == 1 && record.firstDay == 10 && record.lastDay == 10)
        // Its range at −65 dBm, ten metres, with five of the position.
        #expect(abs(record.spread - 125.0.squareRoot()) < 0.01)
    }

    @Test mutating func placesAreAveraged() throws {
        _ = learn([received(1)], at: try place())
        _ = learn([received(1)], at: try place(east: 20), today: 12)
        let record = try #require(memory[address(1)])
        #expect(try record.coordinate.distance(to: place(east: 10)) < 0.1 && record.count == 2)
        // 125 m² of each, and 10 m from the mean.
        #expect(abs(record.spread - 225.0.squareRoot()) < 0.1)
        #expect(record.firstDay == 10 && record.lastDay == 12)
    }

    /// After any number of places a new one still counts.
    @Test mutating func oldPlacesDoNotHoldANewOneBack() throws {
        for index in 0..<1000 { _ = learn([received(1)], at: try place(), second: Double(10 * index)) }
        for index in 0..<100 { _ = learn([received(1)], at: try place(east: 100), second: Double(20_000 + 10 * index)) }
        let record = try #require(memory[address(1)])
        #expect(try record.coordinate.distance(to: place(east: 100)) < 50)
    }

    @Test mutating func oneThatIsElsewhereIsUnlearned() throws {
        _ = learn([received(1), received(2)], at: try place())
        let lesson = learn([received(1), received(3)], at: try place(east: 1000), second: 20, today: 11)
        #expect(lesson.moved == 1 && lesson.added == 1)
        let record = try #require(memory[address(1)])
        #expect(try record.moves == 1 && !record.isTrusted && record.coordinate == place(east: 1000))
        _ = learn([received(1)], at: try place(east: 1010), second: 40, today: 12)
        #expect(memory[address(1)]?.isTrusted == true)
        // A second time: it is on wheels.
        _ = learn([received(1)], at: try place(), second: 60, today: 13)
        _ = learn([received(1)], at: try place(), second: 80, today: 14)
        #expect(memory[address(1)]?.moves == 2 && memory[address(1)]?.isTrusted == false)
        #expect(memory[address(2)]?.moves == 0)
    }

    /// What somebody states is not doubted, and is believed at once: nobody waits until tomorrow for a position just given.
    @Test func statedPositionReplacesWhatWasKnownElsewhere() throws {
        let known = [1: 0, 2: 0, 3: 0, 4: 2].map { (address($0.key), $0.value) }
        let memory = Dictionary(
            uniqueKeysWithValues: try known.map { ($0.0, NearbyTests.known(at: try place(), moves: $0.1)) })
        let lesson = AccessPointLearner.lesson(
            observation([1, 2, 3, 4, 5].map { received($0) }), statedAt: try place(east: 1000), accuracy: 20, memory,
            today: 11)
        #expect(lesson.moved == 4 && lesson.added == 1 && lesson.changed.count == 5)
        for record in lesson.changed.values { #expect(try record.coordinate == place(east: 1000)) }
        #expect(lesson.changed[address(1)]?.isTrusted == true)
        #expect(lesson.changed[address(4)]?.isTrusted == false, "one on wheels stays so")
    }

    /// A hotspot that comes along is unlearned by the way it makes.
    @Test mutating func aCompanionIsNotTrusted() throws {
        for index in 0..<100 {
            _ = learn([received(9)], at: try place(east: 14 * Double(index)), second: Double(10 * index))
        }
        #expect(memory[address(9)]?.isTrusted == false)
    }

    @Test mutating func aPositionThatAllContradictTeachesNothingAtFirst() throws {
        let three = [received(1), received(2), received(3)]
        _ = learn(three, at: try place())
        let before = memory
        for index in 0..<60 {
            let second = 100 + 10 * Double(index)
            #expect(try learn(three + [received(4)], at: place(east: 3000), second: second) == AccessPointLesson())
        }
        #expect(memory == before)
        // Ten minutes later it is so.
        #expect(try learn(three, at: place(east: 3000), second: 701).moved == 3)
    }

    @Test mutating func doubtEndsWithAConfirmation() throws {
        let three = [received(1), received(2), received(3)]
        _ = learn(three, at: try place())
        for index in 0..<20 { _ = learn(three, at: try place(east: 3000), second: 100 + 10 * Double(index)) }
        _ = learn(three, at: try place(), second: 400)
        #expect(try learn(three, at: place(east: 3000), second: 701) == AccessPointLesson())
    }

    /// What was learned moments ago is compared with nothing.
    @Test mutating func onlyWhatIsOlderIsCompared() throws {
        for index in 0..<10 {
            _ = learn([received(1), received(2)], at: try place(east: Double(index)), second: 10 * Double(index))
        }
        #expect(learner.calibration.count == 0)
        _ = learn([received(1), received(2)], at: try place(), second: 1000, today: 11)
        #expect(learner.calibration.count == 1)
    }

    @Test(arguments: [1.0, 0.2, 4.0])
    func calibrationFindsTheShare(scale: Double) {
        var calibration = AccuracyCalibration()
        // Errors that are spread evenly from 0 to the scale.
        for index in 0..<5000 {
            calibration.compare(error: scale * Double(index * 37 % 100) / 100, accuracy: calibration.factor)
        }
        #expect(abs(calibration.factor - max(0.3, 0.68 * scale)) < 0.1 * scale)
        #expect(calibration.count == 5000)
    }
}
