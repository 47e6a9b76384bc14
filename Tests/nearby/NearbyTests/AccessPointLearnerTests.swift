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

    /// Where it is received on two days, and at its own place on neither, it is from then on.
    @Test mutating func oneThatStaysElsewhereHasMoved() throws {
        _ = learn([received(1), received(2)], at: try place())
        let first = learn([received(1), received(3)], at: try place(east: 1000), second: 20, today: 11)
        #expect(first.moved == 0 && first.added == 1)
        let record = try #require(memory[address(1)])
        #expect(try record.coordinate == place() && record.isTrusted && record.candidate?.day == 11)
        #expect(try learn([received(1)], at: place(east: 1010), second: 40, today: 11).moved == 0, "not on one day")
        #expect(try learn([received(1)], at: place(east: 1010), second: 60, today: 12).moved == 1)
        let moved = try #require(memory[address(1)])
        #expect(try moved.moves == 1 && moved.isTrusted && moved.coordinate.distance(to: place(east: 1005)) < 1)
        #expect(moved.firstDay == 11 && moved.lastDay == 12 && moved.candidate == nil)
        #expect(memory[address(2)]?.moves == 0)
    }

    @Test mutating func oneThatIsReceivedAtItsPlaceAgainHasNotMoved() throws {
        _ = learn([received(1)], at: try place())
        for day in 11..<20 {
            // Elsewhere, and at home on the same day: it stays a candidate, of a later day.
            _ = learn([received(1)], at: try place(east: 1000), second: 100 * Double(day), today: day)
            _ = learn([received(1)], at: try place(), second: 100 * Double(day) + 50, today: day)
            #expect(try memory[address(1)]?.coordinate.distance(to: place()) == 0 && memory[address(1)]?.moves == 0)
        }
        #expect(memory[address(1)]?.candidate?.day == 19)
        _ = learn([received(1)], at: try place(), second: 3000, today: 20)
        #expect(memory[address(1)]?.candidate == nil && memory[address(1)]?.isTrusted == true)
    }

    /// At a third place it is on wheels, until it was at its own for a week.
    @Test mutating func oneOnWheelsIsTrustedAfterAWeekAtItsPlace() throws {
        _ = learn([received(1)], at: try place())
        _ = learn([received(1)], at: try place(east: 1000), second: 100, today: 11)
        _ = learn([received(1)], at: try place(east: 2000), second: 200, today: 11)
        #expect(memory[address(1)]?.moves == 2 && memory[address(1)]?.isTrusted == false)
        _ = learn([received(1)], at: try place(), second: 300, today: 17)
        #expect(memory[address(1)]?.isTrusted == false)
        _ = learn([received(1)], at: try place(), second: 400, today: 18)
        #expect(try memory[address(1)]?.isTrusted == true && memory[address(1)]?.coordinate == place())
    }

    /// What somebody states is not doubted, and is believed at once: nobody waits until tomorrow for a position just
    /// given.
    @Test(arguments: [0.0, 1000])
    func statedPositionHeals(east: Double) throws {
        var stray = known(at: try place(), moves: 1)
        stray.candidate = PlaceCandidate(coordinate: try place(east: 1000), spread: 12, day: 10)
        let memory = [
            address(1): known(at: try place()), address(2): stray, address(3): known(at: try place(), moves: 2),
        ]
        let lesson = AccessPointLearner.lesson(
            observation([1, 2, 3, 4].map { received($0) }), statedAt: try place(east: east), accuracy: 20, memory,
            today: 11)
        #expect(lesson.moved == (east > 0 ? 3 : 0) && lesson.added == 1 && lesson.changed.count == 4)
        for record in lesson.changed.values {
            #expect(try record.coordinate == place(east: east) && record.isTrusted && record.moves == 0)
            #expect(record.candidate == nil)
        }
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
        // Ten minutes later it may be so, which the next day tells.
        #expect(try learn(three, at: place(east: 3000), second: 701).changed.count == 3)
        #expect(memory.values.allSatisfy { $0.isTrusted && $0.candidate != nil })
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
