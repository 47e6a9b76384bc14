import AccessPoints
import LocationModel
import ProgramTestSupport
import Testing

/// Somebody near the machine who sends the addresses of access points of another place, as a transmitter for some euros
/// does.
@Suite struct TransmitterTests {
    private static let (home, office, paris) = (1...8, 11...14, 21...40)
    private static let metresToParis = 878_000.0

    private let machine = TownTests.Memory()
    private var (here, away): (Coordinate, Coordinate)

    init() throws {
        here = try place()
        away = try place(east: Self.metresToParis)
    }

    private func scan(_ devices: some Sequence<Int>, second: Double = 0) -> AccessPointObservation {
        observation(devices.map { received($0) }, second: second)
    }

    /// A machine that has learned its home, and Paris on one day of a journey.
    private func travelled() -> TownTests.Memory {
        var memory = machine
        for (place, devices) in [(here, Self.home), (away, Self.paris)] {
            for minute in 0..<20 { _ = memory.learn(scan(devices, second: Double(60 * minute)), at: place, today: 1) }
        }
        return memory
    }

    /// At home: how many of its own are received, and how many of Paris are sent.
    @Test(arguments: [(2, 3), (4, 6), (8, 6), (8, 20), (2, 20), (8, 2), (3, 2)])
    func parisIsNotAnsweredAtHome(own: Int, sent: Int) {
        let memory = travelled()
        for strangers in 0...10 {
            let received = Array(Self.home.prefix(own)) + Self.paris.prefix(sent) + (100..<100 + strangers)
            let answer = memory.estimate(scan(received), today: 30)
            #expect(answer == .failure(.contradiction(known: own + sent)))
        }
    }

    /// Where nothing is known, that two are believed takes that no more than two others are received.
    @Test func twoAreNotBelievedAmongStrangers() throws {
        let memory = travelled()
        let two = Array(Self.paris.prefix(2))
        #expect(memory.estimate(scan(two + (100..<106)), today: 30) == .failure(.tooFewKnown(known: 2, received: 8)))
        #expect(memory.estimate(scan(two + (100..<103)), today: 30) == .failure(.tooFewKnown(known: 2, received: 5)))
        let few = try memory.estimate(scan(two + (100..<102)), today: 30).get()
        let alone = try memory.estimate(scan(two), today: 30).get()
        #expect(abs(few.accuracy - 2.0.squareRoot() * alone.accuracy) < 1e-9)
    }

    /// At the office the addresses of home are sent, two at a time, while the receiver is on; or all of them.
    @Test(arguments: [2, 8]) func homeIsNotUnlearnedFromAfar(atOnce: Int) throws {
        let work = try place(east: 5000)
        var memory = machine
        for minute in 0..<20 {
            _ = memory.learn(scan(Self.home, second: Double(60 * minute)), at: here, today: 1)
            _ = memory.learn(scan(Self.office, second: Double(60 * minute)), at: work, today: 1)
        }
        let subsets = [Array(Self.home), [1, 2], [3, 8], [5, 6, 7]]
        let before = try subsets.map { try memory.estimate(scan($0), today: 3).get() }
        for minute in 0..<480 {
            let sent = (0..<atOnce).map { 1 + (atOnce * minute + $0) % 8 }
            let second = 100_000 + Double(60 * minute)
            _ = memory.learn(scan(Array(Self.office) + sent, second: second), at: work, today: 2)
        }
        #expect(Self.home.allSatisfy { memory.known[address($0)]?.candidate != nil }, "each was sent and learned")
        for (devices, answer) in zip(subsets, before) {
            let after = try memory.estimate(scan(devices), today: 3).get()
            // What was calibrated meanwhile changes the accuracy a little.
            #expect(after.coordinate == answer.coordinate && after.count == answer.count)
            #expect(after.accuracy < 1.2 * answer.accuracy)
        }
        // At home with the receiver on, nothing is left of it.
        _ = memory.learn(scan(Self.home, second: 200_000), at: here, today: 3)
        for device in Self.home {
            let record = try #require(memory.known[address(device)])
            #expect(record.isTrusted && record.moves == 0 && record.candidate == nil)
        }
    }

    /// Home has moved, and somebody says so: it is answered there at once.
    @Test func statementAfterAMoveIsAnswered() throws {
        var memory = travelled()
        let new = try place(east: 20_000)
        let lesson = AccessPointLearner.lesson(
            scan(Self.home), statedAt: new, accuracy: 20, memory.known(of: scan(Self.home)), today: 2)
        memory.known.merge(lesson.changed) { $1 }
        #expect(lesson.moved == 8)
        #expect(try memory.estimate(scan(Self.home), today: 2).get().coordinate.distance(to: new) < 1)
    }
}
