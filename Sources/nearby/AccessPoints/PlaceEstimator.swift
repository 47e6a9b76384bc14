import Glibc
import LocationModel

/// Estimates places from what is remembered.
///
/// Each known access point says: the machine is about as far from where I was received as I was then, and as I am now. The places
/// that agree, within those distances, are taken together; a place that most do not agree with is no answer.
package struct PlaceEstimator: Sendable {
    /// Metres that no answer claims to be better than.
    static let leastAccuracy = 10.0
    /// The share of the devices received that have to agree: what a household takes along when it moves is a small part of what is
    /// received at its new place.
    static let leastShare = 0.25
    /// For an answer from a single device: places it was received at, and days since.
    static let (aloneCount, aloneAge) = (10, 1)

    /// What an accuracy is multiplied by, from ``AccuracyCalibration``.
    package var factor: Double

    package init(factor: Double = 1) { self.factor = factor }

    /// One device: the strongest of its radios that are known.
    private struct Device {
        let coordinate: Coordinate
        /// Metres from the coordinate to the machine: the root mean square that is expected.
        let distance: Double
        let record: KnownAccessPoint
    }

    /// By those that are learned; where these tell nothing, also by those of which the place is only stated.
    ///
    /// - Parameters:
    ///   - known: what is remembered of those of the observation that are known.
    ///   - today: days since 1970-01-01, UTC.
    package func estimate(
        _ observation: AccessPointObservation, _ known: [HardwareAddress: KnownAccessPoint], today: Int
    ) -> Result<PlaceEstimate, PlaceUnknown> {
        let learned = known.filter { !$0.value.isStated }
        let result = estimate(among: learned, observation, today: today)
        guard case .failure = result, learned.count < known.count,
            case .success(var estimate) = estimate(among: known, observation, today: today)
        else { return result }
        // All of one statement are at the same place, and no better together than one.
        let stated = observation.usable.compactMap { known[$0.address] }.filter(\.isStated).map(\.spread)
        estimate.accuracy = max(estimate.accuracy, stated.min() ?? 0)
        return .success(estimate)
    }

    private func estimate(
        among known: [HardwareAddress: KnownAccessPoint], _ observation: AccessPointObservation, today: Int
    ) -> Result<PlaceEstimate, PlaceUnknown> {
        let usable = observation.usable
        guard !usable.isEmpty else { return .failure(.nothingReceived) }
        let devices = Self.devices(usable, known)
        let received = Set(usable.map(\.address.device)).count
        let agreeing = Self.largestAgreement(of: devices)
        if agreeing.count < 2 {
            if devices.count > 1 { return .failure(.contradiction(known: devices.count)) }
            guard let alone = devices.first, received <= 2, Self.sufficesAlone(alone.record, today) else {
                return .failure(.tooFewKnown(known: devices.count, received: received))
            }
        }
        // A tie between two places is as bad as a majority against this one.
        guard 2 * agreeing.count > devices.count else { return .failure(.contradiction(known: devices.count)) }
        guard Double(agreeing.count) >= Self.leastShare * Double(received) else {
            return .failure(.tooFewKnown(known: agreeing.count, received: received))
        }
        let (coordinate, error) = Self.mean(of: agreeing)
        return .success(
            PlaceEstimate(
                coordinate: coordinate, accuracy: max(Self.leastAccuracy, factor * error), count: agreeing.count))
    }

    private static func sufficesAlone(_ record: KnownAccessPoint, _ today: Int) -> Bool {
        record.moves == 0 && record.count >= aloneCount && today - record.lastDay <= aloneAge
    }

    private static func devices(_ usable: [ReceivedAccessPoint], _ known: [HardwareAddress: KnownAccessPoint])
        -> [Device]
    {
        var isTaken = Set<UInt64>()
        return usable.compactMap { received in
            guard let record = known[received.address], record.isTrusted,
                isTaken.insert(received.address.device).inserted
            else { return nil }
            return Device(
                coordinate: record.coordinate, distance: hypot(record.spread, received.range), record: record)
        }
    }

    /// Those that the machine can be near to at the same time, around the one that most agree with.
    private static func largestAgreement(of devices: [Device]) -> [Device] {
        var best: [Device] = []
        for middle in devices {
            let agreeing = devices.filter { device in
                device.coordinate.distance(to: middle.coordinate) <= 2 * (device.distance + middle.distance)
            }
            if agreeing.count > best.count { best = agreeing }
        }
        return best
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
            atDistance: hypot(north, east), bearing: atan2(east, north) * 180 / .pi)
        // What the distances let expect, and how far the places are apart: the larger, as few may agree by chance.
        let scatter = offsets.reduce(0) { sum, offset in
            let (north, east) = (offset.north - north, offset.east - east)
            return sum + offset.weight * (north * north + east * east)
        }
        let count = Double(devices.count)
        return (coordinate, max(1 / weights, scatter / weights / count).squareRoot())
    }
}
