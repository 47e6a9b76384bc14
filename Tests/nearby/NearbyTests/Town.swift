import AccessPoints
import Glibc
import LocationModel
import ProgramTestSupport

/// A town drawn from a seed: streets every 100 m, access points in the houses along them, some of them on the move, and
/// radio waves that lose their power by the logarithm of the distance, with a shadowing of 6 dB.
struct Town {
    /// Metres from the middle.
    struct Point: Sendable { var (east, north): (Double, Double) }

    static let (side, block, count) = (1600.0, 100.0, 3000)
    static let middle = Coordinate(latitude: 52.5, longitude: 13.4)
    /// The share of access points that are on the move.
    static let hotspots = 0.1
    /// The share of radios in range that a scan misses.
    static let missed = 0.5
    private static let (signalAtOneMetre, lossPerDecade, shadowing, floor) = (-35.0, 30.0, 6.0, -90.0)
    /// Metres beyond which none is received: the floor is 4 standard deviations away.
    private static let reach = 440.0

    private(set) var places: [Point] = []
    private let isHotspot: [Bool]
    private var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        var isHotspot: [Bool] = []
        for _ in 0..<Self.count {
            places.append(Self.house(&random))
            isHotspot.append(Double.random(in: 0..<1, using: &random) < Self.hotspots)
        }
        self.isHotspot = isHotspot
    }

    /// A house between 5 and 25 m from the middle of a street.
    private static func house(_ random: inout SeededGenerator) -> Point {
        let along = Double.random(in: -side / 2...side / 2, using: &random)
        let street = Double(Int.random(in: 0...Int(side / block), using: &random)) * block - side / 2
        let offset = Double.random(in: 5...25, using: &random) * (Bool.random(using: &random) ? 1 : -1)
        return Bool.random(using: &random)
            ? Point(east: along, north: street + offset) : Point(east: street + offset, north: along)
    }

    static func address(_ index: Int) -> HardwareAddress {
        HardwareAddress(value: 0x00_1A_00_00_00_00 + UInt64(index) << 8)
    }

    static func coordinate(_ point: Point) -> Coordinate? {
        middle?.coordinate(
            atDistance: hypot(point.east, point.north), bearing: atan2(point.east, point.north) * 180 / .pi)
    }

    /// Every so many metres along all streets.
    static func walk(every step: Double) -> [Point] {
        let (lines, steps) = (Int(side / block), Int(side / step))
        return (0...lines).flatMap { line in
            (0..<steps).flatMap { index in
                let (street, along) = (Double(line) * block - side / 2, Double(index) * step - side / 2)
                return [Point(east: along, north: street), Point(east: street, north: along)]
            }
        }
    }

    /// A place on a street.
    mutating func somewhere() -> Point {
        let along = Double.random(in: -Self.side / 2...Self.side / 2, using: &random)
        let street =
            Double(Int.random(in: 0...Int(Self.side / Self.block), using: &random)) * Self.block - Self.side / 2
        return Bool.random(using: &random) ? Point(east: along, north: street) : Point(east: street, north: along)
    }

    /// Moves a share of the routers to other houses.
    /// - Returns: which, and where each is now.
    mutating func moveRouters(share: Double) -> [Int] {
        let moved = places.indices.filter { _ in Double.random(in: 0..<1, using: &random) < share }
            .filter { !isHotspot[$0] }
        for index in moved { places[index] = Self.house(&random) }
        return moved
    }

    /// What a scan at a place gives. Those on the move are anywhere.
    mutating func scan(at point: Point, time: Double = 0, of indices: Range<Int>? = nil) -> AccessPointObservation {
        var received: [ReceivedAccessPoint] = []
        for index in indices ?? places.indices {
            if isHotspot[index] {
                // The chance that it is in the square around the machine.
                guard Double.random(in: 0..<1, using: &random) < pow(2 * Self.reach / Self.side, 2) else { continue }
                places[index] = Point(
                    east: point.east + .random(in: -Self.reach...Self.reach, using: &random),
                    north: point.north + .random(in: -Self.reach...Self.reach, using: &random))
            }
            let (east, north) = (places[index].east - point.east, places[index].north - point.north)
            guard abs(east) < Self.reach, abs(north) < Self.reach,
                let signal = signal(at: max(1, hypot(east, north))),
                Double.random(in: 0..<1, using: &random) >= Self.missed
            else { continue }
            received.append(
                ReceivedAccessPoint(address: Self.address(index), signal: signal, network: "network \(index)"))
        }
        return AccessPointObservation(time: BootInstant(seconds: time), accessPoints: received)
    }

    /// - Returns: dBm; `nil` below what a radio receives.
    private mutating func signal(at distance: Double) -> Double? {
        let signal = Self.signalAtOneMetre - Self.lossPerDecade * log10(distance) + Self.shadowing * normal()
        return signal >= Self.floor ? min(signal, -20) : nil
    }

    /// A number of a normal distribution, by Box and Muller.
    mutating func normal() -> Double {
        let radius = (-2 * log(Double.random(in: Double.leastNonzeroMagnitude..<1, using: &random))).squareRoot()
        return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &random))
    }

    /// Where a receiver of satellites' signals says that it is, with an error of so many metres on each axis.
    mutating func measured(_ point: Point, error: Double) -> Point {
        Point(east: point.east + error * normal(), north: point.north + error * normal())
    }
}
