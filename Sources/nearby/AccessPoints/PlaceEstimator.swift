import Glibc
@_spi(Programs) import LocationModel

/// Estimates places from what is remembered.
///
/// Each known access point says: the machine is about as far from where I was received as I was then, and as I am now.
/// The places that agree, within those distances, are taken together; a place that most do not agree with is no answer.
package struct PlaceEstimator: Sendable {
    /// Metres that no answer claims to be better than.
    package static let leastAccuracy = 10.0
    /// How many of the received devices have to agree: a quarter of many, a larger share of few. The routers that a
    /// household takes along to another home are a small share of the devices received there, and an attacker easily
    /// sends the addresses of two devices.
    static func needed(of received: Int) -> Int {
        max(2, (received + 3) / 4, Int(Double(received).squareRoot().rounded(.up)))
    }

    /// For an answer from a single device: places it was received at, and days since.
    static let (aloneCount, aloneAge) = (10, 1)

    /// What an accuracy is multiplied by, from ``AccuracyCalibration``.
    package var factor: Double

    package init(factor: Double = 1) { self.factor = factor }

    /// One device: the strongest of its radios that are known.
    private struct Device {
        let address: HardwareAddress
        let coordinate: Coordinate
        let point: SurfacePoint
        /// Metres from the point to the machine: the root mean square that is expected.
        let distance: Double

        init(_ received: ReceivedAccessPoint, _ record: KnownAccessPoint) {
            (address, coordinate) = (received.address, record.coordinate)
            point = SurfacePoint(coordinate.geodetic)
            distance = hypot(record.spread, received.range)
        }

        /// Whether the machine can be near to both.
        func agrees(with other: Device) -> Bool {
            point.distance(to: other.point) <= 2 * (distance + other.distance)
        }
    }

    /// By those that are learned; where these tell nothing, also by those of which the place is only stated.
    ///
    /// - Parameters:
    ///   - known: what is remembered of those of the observation that are known.
    ///   - today: days since 1970-01-01, UTC.
    package func estimate(
        _ observation: AccessPointObservation, _ known: [HardwareAddress: KnownAccessPoint], today: Int
    ) -> Result<PlaceEstimate, PlaceUnknown> {
        let usable = observation.usable
        let learned = known.filter { !$0.value.isStated }
        let result = estimate(among: learned, usable, today: today)
        guard case .failure = result, learned.count < known.count,
            case .success(var estimate) = estimate(among: known, usable, today: today)
        else { return result }
        // All of one statement are at the same place, and no better together than one.
        let stated = usable.compactMap { known[$0.address] }.filter(\.isStated).map(\.spread)
        estimate.accuracy = max(estimate.accuracy, stated.min() ?? 0)
        return .success(estimate)
    }

    private func estimate(
        among known: [HardwareAddress: KnownAccessPoint], _ usable: [ReceivedAccessPoint], today: Int
    ) -> Result<PlaceEstimate, PlaceUnknown> {
        guard !usable.isEmpty else { return .failure(.nothingReceived) }
        let devices = Self.devices(usable, known)
        let received = Set(usable.map(\.address.device)).count
        guard !devices.isEmpty else { return .failure(.tooFewKnown(known: 0, received: received)) }
        // A tie between two places is as bad as a majority against this one.
        guard let (agreeing, others) = Self.majority(of: devices) else {
            return .failure(.contradiction(known: devices.count))
        }
        let (coordinate, error) = Self.mean(of: agreeing)
        // They may be right, however many are against them: a transmitter sends as many addresses as it likes.
        guard !Self.tellAnotherPlace(others, known, than: coordinate) else {
            return .failure(.contradiction(known: devices.count))
        }
        let isEnough =
            received == 1
            ? Self.sufficesAlone(known[agreeing[0].address], today) : agreeing.count >= Self.needed(of: received)
        guard isEnough else { return .failure(.tooFewKnown(known: agreeing.count, received: received)) }
        // The fewer of what is received agree, the less it is worth that they do.
        let accuracy =
            max(Self.leastAccuracy, factor * error) * (Double(received) / Double(agreeing.count)).squareRoot()
        return .success(PlaceEstimate(coordinate: coordinate, accuracy: accuracy, count: agreeing.count))
    }

    private static func sufficesAlone(_ record: KnownAccessPoint?, _ today: Int) -> Bool {
        guard let record, record.moves == 0, record.candidate == nil else { return false }
        return record.count >= aloneCount && today - record.lastDay <= aloneAge
    }

    private static func devices(_ usable: [ReceivedAccessPoint], _ known: [HardwareAddress: KnownAccessPoint])
        -> [Device]
    {
        var isTaken = Set<UInt64>()
        return usable.compactMap { received in
            guard let record = known[received.address], record.isTrusted,
                isTaken.insert(received.address.device).inserted
            else { return nil }
            return Device(received, record)
        }
    }

    /// Those that the machine can be near to at the same time, around the one that most agree with, and the others.
    ///
    /// - Returns: `nil` if the first are not more than half of all.
    private static func majority(of devices: [Device]) -> (agreeing: [Device], others: [Device])? {
        var (best, middle) = (devices.count / 2, nil as Device?)
        for device in devices {
            // It is looked at no further once it cannot be better.
            let limit = devices.count - best
            var against = 0
            for other in devices where against < limit && !other.agrees(with: device) { against += 1 }
            if against < limit { (best, middle) = (devices.count - against, device) }
        }
        guard let middle else { return nil }
        return (devices.filter { $0.agrees(with: middle) }, devices.filter { !$0.agrees(with: middle) })
    }

    /// Whether two agree with each other on another place. One that was received here, too, tells none.
    private static func tellAnotherPlace(
        _ devices: [Device], _ known: [HardwareAddress: KnownAccessPoint], than place: Coordinate
    ) -> Bool {
        let others = devices.filter { device in
            known[device.address]?.candidate.map { $0.coordinate.distance(to: place) > KnownAccessPoint.reach } ?? true
        }
        return others.indices.contains { index in others[..<index].contains { $0.agrees(with: others[index]) } }
    }

    /// Their mean, each weighted by how near it is, and its error, metres.
    private static func mean(of devices: [Device]) -> (Coordinate, error: Double) {
        let origin = devices[0].coordinate
        var (weights, north, east) = (0.0, 0.0, 0.0)
        var offsets: [(weight: Double, north: Double, east: Double)] = []
        for device in devices {
            let weight = 1 / (device.distance * device.distance)
            let distance = origin.distance(to: device.coordinate)
            let bearing = (origin.initialBearing(to: device.coordinate) ?? 0) * .pi / 180
            let offset = (weight: weight, north: distance * cos(bearing), east: distance * sin(bearing))
            offsets.append(offset)
            weights += weight
            north += weight * offset.north
            east += weight * offset.east
        }
        (north, east) = (north / weights, east / weights)
        let coordinate = origin.coordinate(
            atDistance: hypot(north, east), bearing: atan2(east, north) * 180 / .pi
        ).rounded
        // What the distances let expect, and how far the places are apart: the larger, as few may agree by chance.
        let scatter = offsets.reduce(0) { sum, offset in
            let (north, east) = (offset.north - north, offset.east - east)
            return sum + offset.weight * (north * north + east * east)
        }
        let count = Double(devices.count)
        return (coordinate, max(1 / weights, scatter / weights / count).squareRoot())
    }
}

extension Coordinate {
    /// To a ten-millionth of a degree, about a centimetre: what is learned at 52.517 is told as that.
    fileprivate var rounded: Coordinate {
        func rounded(_ degrees: Double) -> Double { (degrees * 1e7).rounded() / 1e7 }
        return Coordinate(latitude: rounded(latitude), longitude: rounded(longitude)) ?? self
    }
}
