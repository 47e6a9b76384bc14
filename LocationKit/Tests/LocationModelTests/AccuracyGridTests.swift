@_spi(Programs) import LocationModel
import TestSupport
import Testing

@Suite struct AccuracyGridTests {
    private func coordinate(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
        try #require(Coordinate(latitude: latitude, longitude: longitude))
    }

    @Test(arguments: [100, 2000, 30_000, 1_000_000])
    func everyPositionIsWithinReachOfItsMiddle(_ size: Double) throws {
        let grid = AccuracyGrid(size: size)
        var random = SeededGenerator(seed: 1)
        var nearest = 1.0
        for index in 0..<3000 {
            let pole = try coordinate(index % 4 == 0 ? 90 : -90, 0)
            let position =
                index % 2 == 0 ? try random.position(within: 90) : random.position(around: pole, within: 20 * size)
            let middle = grid.snap(position)
            let reach = grid.reach(from: middle)
            #expect(position.distance(to: middle) <= reach, "\(position)")
            #expect((0.49 * size...0.91 * size).contains(reach), "\(middle)")
            nearest = min(nearest, 1 - position.distance(to: middle) / reach)
        }
        #expect(nearest < 0.05, "the reach is no larger than it must be")
    }

    @Test(arguments: [100, 2000, 30_000])
    func middlesAreTheirOwnMiddlesToTheLastBit(_ size: Double) throws {
        let grid = AccuracyGrid(size: size)
        var random = SeededGenerator(seed: 2)
        for _ in 0..<3000 {
            let middle = try grid.snap(random.position(within: 90))
            let again = grid.snap(random.position(around: middle, within: 0.3 * size))
            #expect(middle.latitude.bitPattern == again.latitude.bitPattern, "\(middle)")
            #expect(middle.longitude.bitPattern == again.longitude.bitPattern, "\(middle)")
        }
    }

    @Test func neighbouringCellsAreNoNearerThanTheSize() throws {
        let grid = AccuracyGrid()
        var random = SeededGenerator(seed: 3)
        for _ in 0..<1000 {
            let middle = try grid.snap(random.position(within: 89))
            for bearing in [0.0, 90, 180, 270] {
                // Just over the edge, a tenth of the size.
                let beyond = grid.snap(middle.coordinate(atDistance: 0.6 * 2000, bearing: bearing))
                if beyond == middle { continue }
                // Away from the poles a row's columns differ little from the next row's.
                let (north, east) = (abs(beyond.latitude - middle.latitude), beyond.distance(to: middle))
                #expect(north == 0 || north * 110_574 > 1999)
                #expect(north != 0 || east > 1999)
            }
        }
    }

    @Test func columnsCloseAtTheAntimeridian() throws {
        let grid = AccuracyGrid()
        for latitude in stride(from: -89.9, through: 89.9, by: 0.7) {
            let (west, east) = try (coordinate(latitude, -180), coordinate(latitude, 180))
            #expect(grid.snap(west) == grid.snap(east))
            #expect(try grid.snap(west) == grid.snap(coordinate(latitude, -179.999_99)))
            #expect(grid.snap(west).longitude < 0)
        }
    }

    @Test(arguments: [90.0, -90])
    func poleIsTheMiddleOfOneCell(_ latitude: Double) throws {
        let grid = AccuracyGrid()
        let pole = try coordinate(latitude, 0)
        for bearing in stride(from: 0.0, to: 360, by: 7) {
            #expect(try grid.snap(coordinate(latitude, bearing - 180)) == pole)
            #expect(grid.snap(pole.coordinate(atDistance: 999, bearing: bearing)) == pole)
            #expect(grid.snap(pole.coordinate(atDistance: 1011, bearing: bearing)) != pole)
        }
    }

    @Test func sideOfTheEquatorDoesNotShowInTheSignOfZero() throws {
        let grid = AccuracyGrid()
        for latitude in [-0.001, 0.001] {
            #expect(try grid.snap(coordinate(latitude, 0.01)).latitude.sign == .plus)
        }
    }

    @Test(arguments: [-1, 0, 99, .infinity, -.infinity, .nan] as [Double])
    func sizeOutOfRangeIsClamped(_ size: Double) throws {
        let grid = AccuracyGrid(size: size)
        #expect((100...1_000_000).contains(grid.size))
        let middle = try grid.snap(coordinate(52.5, 13.25))
        #expect(try coordinate(52.5, 13.25).distance(to: middle) <= grid.reach(from: middle))
    }
}
