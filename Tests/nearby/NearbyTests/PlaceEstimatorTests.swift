import AccessPoints
import LocationModel
import Testing

@Suite struct PlaceEstimatorTests {
    private let estimator = PlaceEstimator()

    private func estimate(
        _ received: [ReceivedAccessPoint], _ known: [HardwareAddress: KnownAccessPoint], today: Int = 10
    ) -> Result<PlaceEstimate, PlaceUnknown> { estimator.estimate(observation(received), known, today: today) }

    @Test func twoThatAgreeTellThePlace() throws {
        let outcome = estimate(
            [received(1), received(2)],
            [address(1): known(at: try place()), address(2): known(at: try place(east: 20))])
        let estimate = try outcome.get()
        #expect(try estimate.coordinate.distance(to: place(east: 10)) < 1)
        #expect(estimate.count == 2 && estimate.accuracy >= 10 && estimate.accuracy < 30)
    }

    @Test func aStrongOneCountsMore() throws {
        let outcome = estimate(
            [received(1, signal: -40), received(2, signal: -85)],
            [address(1): known(at: try place()), address(2): known(at: try place(east: 60))])
        #expect(try outcome.get().coordinate.distance(to: place()) < 10)
    }

    @Test func oneIsTooFew() throws {
        let outcome = estimate([received(1), received(2), received(3)], [address(1): known(at: try place())])
        #expect(outcome == .failure(.tooFewKnown(known: 1, received: 3)))
        #expect(estimate([], [:]) == .failure(.nothingReceived))
        #expect(estimate([received(1)], [:]) == .failure(.tooFewKnown(known: 0, received: 1)))
    }

    /// The radios of one device are one witness: it moves with all of them.
    @Test func radiosOfOneDeviceAreOne() throws {
        let record = known(at: try place(), lastDay: 1)
        let outcome = estimate(
            [received(1), received(1, radio: 1), received(1, radio: 4)],
            [address(1): record, address(1, radio: 1): record, address(1, radio: 4): record])
        #expect(outcome == .failure(.tooFewKnown(known: 1, received: 1)))
    }

    @Test(arguments: [
        (20, 10, 0, 1, true), (20, 8, 0, 1, false), (3, 10, 0, 1, false), (20, 10, 1, 1, false), (20, 10, 0, 2, false),
    ])
    func aloneItHasToBeFreshAndWellKnown(count: Int, lastDay: Int, moves: Int, received number: Int, isAnswer: Bool)
        throws
    {
        let record = known(at: try place(), count: count, lastDay: lastDay, moves: moves)
        let outcome = estimate((1...number).map { received($0) }, [address(1): record])
        #expect(((try? outcome.get()) != nil) == isAnswer)
    }

    @Test func whatDisagreesTellsNothing() throws {
        let far = known(at: try place(east: 5000))
        let two = [address(1): known(at: try place()), address(2): far]
        #expect(estimate([received(1), received(2)], two) == .failure(.contradiction(known: 2)))
        // Two against two.
        let four = two.merging([address(3): known(at: try place(east: 10)), address(4): far]) { $1 }
        #expect(estimate((1...4).map { received($0) }, four) == .failure(.contradiction(known: 4)))
        // Two against one.
        let three = four.filter { $0.key != address(4) }
        #expect(try estimate((1...3).map { received($0) }, three).get().coordinate.distance(to: place()) < 20)
        // Eight against one, and against two that agree.
        let many = Dictionary(uniqueKeysWithValues: try (11...18).map { (address($0), known(at: try place())) })
        let scan = (11...18).map { received($0) } + [received(2), received(4)]
        #expect((try? estimate(scan, many.merging([address(2): far]) { $1 }).get()) != nil)
        let two8 = many.merging([address(2): far, address(4): far]) { $1 }
        #expect(estimate(scan, two8) == .failure(.contradiction(known: 10)))
        // One of which has been received here tells no other place.
        var stray = far
        stray.candidate = PlaceCandidate(coordinate: try place(north: 100), spread: 20, day: 9)
        #expect((try? estimate(scan, two8.merging([address(4): stray]) { $1 }).get()) != nil)
    }

    /// A quarter of what is received, and of few more; so many and one more.
    @Test(arguments: [(2, 4), (3, 9), (4, 16), (5, 20), (25, 100)])
    func aFewAmongStrangersTellNothing(count: Int, received number: Int) throws {
        let some = Dictionary(
            uniqueKeysWithValues: try (1...count).map { (address($0), known(at: try place(east: Double($0)))) })
        #expect((try? estimate((1...number).map { received($0) }, some).get()) != nil)
        let more = estimate((1...number + 1).map { received($0) }, some)
        #expect(more == .failure(.tooFewKnown(known: count, received: number + 1)))
    }

    /// The circle of 15 of 60 is twice that of 15 of 15.
    @Test func circleGrowsByWhatDoesNotAgree() throws {
        let some = Dictionary(
            uniqueKeysWithValues: try (1...15).map { (address($0), known(at: try place(), spread: 100)) })
        let alone = try estimate((1...15).map { received($0) }, some).get()
        let among = try estimate((1...60).map { received($0) }, some).get()
        #expect(abs(among.accuracy - 2 * alone.accuracy) < 1e-9)
    }

    /// What is learned at a number of degrees is told as that number.
    @Test func degreesAreThoseThatWereStated() throws {
        let home = try #require(Coordinate(latitude: 52.517, longitude: 13.389))
        let two = [address(1): known(at: home), address(2): known(at: home)]
        #expect(try estimate([received(1), received(2)], two).get().coordinate == home)
    }

    /// One that was elsewhere before is trusted when it was received at its new place on another day, and never after
    /// two moves.
    @Test(arguments: [(0, 1, true), (1, 1, false), (1, 2, true), (2, 9, false)])
    func movedOnesHaveToStay(moves: Int, lastDay: Int, isTrusted: Bool) throws {
        #expect(try known(at: place(), lastDay: lastDay, moves: moves).isTrusted == isTrusted)
    }

    @Test func factorScalesTheAccuracy() throws {
        let known = [
            address(1): known(at: try place(), spread: 40), address(2): known(at: try place(east: 20), spread: 40),
        ]
        let scan = observation([received(1), received(2)])
        let plain = try PlaceEstimator(factor: 1).estimate(scan, known, today: 10).get()
        let double = try PlaceEstimator(factor: 2).estimate(scan, known, today: 10).get()
        #expect(abs(double.accuracy - 2 * plain.accuracy) < 1e-9)
    }
}
