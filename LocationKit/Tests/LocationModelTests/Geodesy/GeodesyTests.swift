@_spi(Programs) import LocationModel
import TestSupport
import Testing

/// The tables are computed with the Python package `geographiclib` 2.1.
@Suite struct GeodesyTests {
    @Test(arguments: geodesicVectors)
    func inverseAgreesWithGeographicLib(_ vector: GeodesicVector) throws {
        let (from, to) = try (coordinate(vector.from), coordinate(vector.to))
        #expect(abs(from.distance(to: to) - vector.distance) < 1e-6)
        guard let bearing = from.initialBearing(to: to) else {
            #expect(vector.bearings.isEmpty)
            return
        }
        #expect((0..<360).contains(bearing))
        #expect(vector.bearings.contains { turn(from: $0, to: bearing) < 1e-6 }, "\(bearing)")
    }

    @Test(arguments: destinationVectors)
    func directAgreesWithGeographicLib(_ vector: DestinationVector) throws {
        let (from, to) = try (coordinate(vector.from), coordinate(vector.to))
        let reached = from.coordinate(atDistance: vector.distance, bearing: vector.bearing)
        #expect(abs(reached.latitude - to.latitude) < 1e-10)
        #expect(turn(from: to.longitude, to: reached.longitude) < 1e-10)
    }

    @Test func distanceIsTheSameBothWays() {
        for (first, second) in pairs(seed: 1) {
            #expect(abs(first.distance(to: second) - second.distance(to: first)) < 1e-6, "\(first) \(second)")
        }
    }

    @Test func noDistanceExceedsHalfAMeridian() {
        for (first, second) in pairs(seed: 2) {
            let distance = first.distance(to: second)
            #expect((0...20_003_931.459).contains(distance), "\(first) \(second)")
        }
    }

    @Test func goingTheDistanceInTheDirectionArrives() throws {
        for (first, second) in pairs(seed: 3) {
            let distance = first.distance(to: second)
            let bearing = try #require(first.initialBearing(to: second))
            let reached = first.coordinate(atDistance: distance, bearing: bearing)
            #expect(reached.distance(to: second) < 1e-6, "\(first) \(second)")
        }
    }

    @Test func mirroredProblemsHaveMirroredSolutions() throws {
        for (first, second) in pairs(seed: 4) {
            let (east, west) = try (mirrored(first), mirrored(second))
            #expect(abs(first.distance(to: second) - east.distance(to: west)) < 1e-6)
            let bearings = try (#require(first.initialBearing(to: second)), #require(east.initialBearing(to: west)))
            #expect(turn(from: -bearings.0, to: bearings.1) < 1e-6, "\(first) \(second)")
        }
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan])
    func aStepThatIsNoNumberLeadsNowhere(_ number: Double) throws {
        let start = try coordinate((10, 20))
        #expect(start.coordinate(atDistance: number, bearing: 0) == start)
        #expect(start.coordinate(atDistance: 1, bearing: number) == start)
    }

    @Test(arguments: [Double.greatestFiniteMagnitude, -.greatestFiniteMagnitude, 1e300, .leastNonzeroMagnitude])
    func immenseAndTinyStepsEndOnTheEarth(_ number: Double) throws {
        for latitude in [-90.0, -1e-300, 0, 45, 90] {
            let reached = try coordinate((latitude, 180)).coordinate(atDistance: number, bearing: number)
            #expect((-90...90).contains(reached.latitude) && (-180...180).contains(reached.longitude))
        }
    }

    /// Numbers at which sines, cosines and differences become zero, or nearly: 5,184 pairs.
    @Test func degeneratePositionsHaveAnswersThatAgree() throws {
        let latitudes = [0, 1e-300, -1e-20, 30, -30.000_000_000_000_004, 90, -90, 89.999_999_999_999_99, -45]
        let longitudes = [0, -1e-300, 1e-15, -1e-15, 180, -180, 179.999_999_999_999_97, -90]
        let positions = try latitudes.flatMap { latitude in
            try longitudes.map { try coordinate((latitude, $0)) }
        }
        for first in positions {
            for second in positions {
                let distance = first.distance(to: second)
                #expect((0...20_003_931.459).contains(distance), "\(first) \(second)")
                #expect(abs(distance - second.distance(to: first)) < 1e-6, "\(first) \(second)")
                guard let bearing = first.initialBearing(to: second) else {
                    #expect(distance == 0, "\(first) \(second)")
                    continue
                }
                let reached = first.coordinate(atDistance: distance, bearing: bearing)
                #expect(reached.distance(to: second) < 1e-6, "\(first) \(second)")
            }
        }
    }
}

/// Pairs of positions anywhere, close together, and almost opposite, 1,000 of each.
private func pairs(seed: UInt64) -> [(Coordinate, Coordinate)] {
    var random = SeededGenerator(seed: seed)
    return (0..<3000).compactMap { index in
        let first = (Double.random(in: -89...89, using: &random), Double.random(in: -179...179, using: &random))
        let offset = (Double.random(in: -1...1, using: &random), Double.random(in: -1...1, using: &random))
        let second =
            switch index % 3 {
            case 0: (offset.0 * 90, offset.1 * 180)
            case 1: (first.0 + offset.0 / 1000, first.1 + offset.1 / 1000)
            default: (-first.0 + offset.0, (first.1 + 180 + offset.1).remainder(dividingBy: 360))
            }
        guard let from = Coordinate(latitude: first.0, longitude: first.1),
            let to = Coordinate(latitude: second.0, longitude: second.1)
        else { return nil }
        return (from, to)
    }
}

private func coordinate(_ pair: (latitude: Double, longitude: Double)) throws -> Coordinate {
    try #require(Coordinate(latitude: pair.latitude, longitude: pair.longitude))
}

private func mirrored(_ coordinate: Coordinate) throws -> Coordinate {
    try #require(Coordinate(latitude: coordinate.latitude, longitude: -coordinate.longitude))
}

/// The smallest turn from one direction to another, degrees, 0...180.
private func turn(from first: Double, to second: Double) -> Double {
    (second - first).remainder(dividingBy: 360).magnitude
}
