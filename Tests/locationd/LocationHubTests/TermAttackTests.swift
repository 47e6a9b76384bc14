@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

@testable import LocationHub

/// What a client with full accuracy for a while can find out about the machine's displacement, which protects the
/// locations that it gets afterwards.
///
/// The attacker keeps of all displacements those that explain what it has seen, and takes their mean. One who has seen
/// nothing errs by reach / √2, that is 850 m.
@Suite struct TermAttackTests {
    private static let ignorance = 0.6 * 2000 / 2.0.squareRoot()
    private static let reduced = Permission(.authorizedAlways, accuracy: .reduced)
    private let trials = 60

    /// A straight drive of an hour, with a fix when one of reduced accuracy is due and some between.
    private struct Drive {
        let bearing: Double
        let speed: Double

        init(using random: inout SeededGenerator) {
            bearing = .random(in: 0..<360, using: &random)
            speed = .random(in: 10...30, using: &random)
        }

        func place(after seconds: Double) -> Coordinate {
            Coordinate.start.coordinate(atDistance: speed * seconds, bearing: bearing)
        }
    }

    /// The attacker, who knows how the daemon reduces accuracy, but not the displacement.
    private struct Attacker {
        private let grid = AccuracyGrid()
        private var candidates: [DiskPoint]

        init(using random: inout SeededGenerator) {
            candidates = (0..<250).map { _ in .random(using: &random) }
        }

        /// The machine was here, and this was reported.
        mutating func see(_ place: Coordinate, reportedAs reported: Coordinate) {
            let rest = candidates.filter { grid.snap($0.displacing(place, radius: 0.6 * grid.size)) == reported }
            // What none explains was not displaced, and says nothing.
            if !rest.isEmpty { candidates = rest }
        }

        /// Metres squared.
        func squaredError(of truth: DiskPoint) -> Double {
            let count = Double(candidates.count)
            let east = candidates.reduce(0) { $0 + $1.east } / count - truth.east
            let north = candidates.reduce(0) { $0 + $1.north } / count - truth.north
            return (east * east + north * north) * 0.36 * grid.size * grid.size
        }
    }

    /// Drives for an hour, and returns what the watches were sent of the fixes that they share.
    private func drive(
        _ drive: Drive, displacement: DiskPoint, rough permission: Permission = .granted, wantsReduced: Bool
    ) -> [(precise: Coordinate, rough: Coordinate)] {
        var server = ServerDouble(reduction: ReducedAccuracy(grid: AccuracyGrid(), displacement: displacement))
        let precise = server.watch()
        let rough = server.watch(permission) { $0.reducedAccuracy = wantsReduced }
        for step in 0..<18 {
            server.fix { $0.coordinate = drive.place(after: 200 * Double(step)) }
            server.pass(200)
        }
        let known = server.locations(precise)
        return server.locations(rough).compactMap { location in
            known.first { $0.sequence == location.sequence }.map { ($0.coordinate, location.coordinate) }
        }
    }

    /// The root of the mean square error of the attacker's displacement, metres.
    private func error(
        seed: UInt64, _ observations: (Drive, DiskPoint) throws -> [(precise: Coordinate, rough: Coordinate)]
    ) rethrows -> Double {
        var random = SeededGenerator(seed: seed)
        var sum = 0.0
        for _ in 0..<trials {
            let displacement = DiskPoint.random(using: &random)
            var attacker = Attacker(using: &random)
            for (precise, rough) in try observations(Drive(using: &random), displacement) {
                attacker.see(precise, reportedAs: rough)
            }
            sum += attacker.squaredError(of: displacement)
        }
        return (sum / Double(trials)).squareRoot()
    }

    @Test func anHourOfBothWouldTellTheDisplacement() {
        let error = error(seed: 1) { drive($0, displacement: $1, rough: Self.reduced, wantsReduced: false) }
        #expect((150...350).contains(error), "\(error) m; it is what two principals together know")
    }

    @Test func whoMayKnowThePositionGetsNothingThatDependsOnTheDisplacement() {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<20 {
            let trip = Drive(using: &random)
            let seen = [DiskPoint.random(using: &random), .random(using: &random)].map {
                drive(trip, displacement: $0, wantsReduced: true).map(\.rough)
            }
            #expect(seen[0] == seen[1] && seen[0].count == 6)
        }
        let error = error(seed: 3) { drive($0, displacement: $1, wantsReduced: true) }
        #expect(error > 0.9 * Self.ignorance, "\(error) m")
    }

    /// At the end of its term a client gets the cell of where it has just been precisely: one observation.
    @Test func endOfATermTellsWhatOneAnswerTells() {
        let error = error(seed: 4) { trip, displacement in
            var server = ServerDouble(reduction: ReducedAccuracy(grid: AccuracyGrid(), displacement: displacement))
            let watch = server.watch()
            for step in 0..<18 {
                server.fix { $0.coordinate = trip.place(after: 200 * Double(step)) }
                server.pass(200)
            }
            server.permit(Self.reduced, watch)
            server.fix { $0.coordinate = trip.place(after: 3600) }
            let seen = server.locations(watch)
            #expect(seen.count == 19)
            guard let last = seen.last else { return [] }
            return [(trip.place(after: 3600), last.coordinate)]
        }
        #expect((500...700).contains(error), "\(error) m")
    }

    @Test func watchThatAsksForLessAndThenMayKnowNoMoreSeesTheDisplacedCells() throws {
        let displacement = try #require(DiskPoint(east: 0.9, north: 0.4))
        var server = ServerDouble(reduction: ReducedAccuracy(grid: AccuracyGrid(), displacement: displacement))
        let watch = server.watch { $0.reducedAccuracy = true }
        server.fix()
        server.permit(Self.reduced, watch)
        let plain = server.watch(Self.reduced)
        server.pass(600)
        server.fix()
        let seen = server.locations(watch).map(\.coordinate)
        #expect(
            seen == [AccuracyGrid().snap(.start), AccuracyGrid().snap(displacement.displacing(.start, radius: 1200))])
        #expect(Set(server.locations(plain).map(\.coordinate)) == Set(seen.suffix(1)))
    }

    @Test func paceAppliesToTheCellsToo() {
        var permission = Permission.granted
        permission.pace = Pace(principal: "uid:1000", interval: 1200)
        var server = ServerDouble(
            reduction: ReducedAccuracy(grid: AccuracyGrid(), displacement: .centre))
        let watch = server.watch(permission) { $0.reducedAccuracy = true }
        server.fixes(1801)
        #expect(server.sequences(watch) == [1, 1201])
        #expect(server.keptReductions == 0, "nothing of it is persisted")
    }
}
