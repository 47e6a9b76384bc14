@_spi(Programs) import LocationModel

/// Adds the true heading to magnetic ones, by the declination at the machine's last location.
///
/// A pure value: the caller gives the time. A declination is computed again when the machine has moved by
/// ``moveThreshold`` or a day has passed; between two such moments it changes by less than a twentieth of a degree,
/// except near the magnetic poles.
struct TrueNorth {
    /// Seconds for which a location is good enough. In this time a car or a train travels some 300 km, in which the
    /// declination changes by about 2°, less than a compass errs; an aeroplane's compass is none for us.
    static let locationLifetime = 10_800.0
    /// Metres.
    static let moveThreshold = 2_000.0
    /// Seconds.
    static let dayLength = 86_400.0

    private let model: MagneticModel
    private var last: Computed?
    private var problem: String?
    private var hasReportedExpiry = false

    private struct Computed {
        let coordinate: Coordinate
        let moment: Double
        let declination: Declination?
    }

    init(model: MagneticModel = .wmm2025) {
        self.model = model
    }

    /// The heading with a true heading, where it has a magnetic one alone and the declination is known.
    ///
    /// - Parameters:
    ///   - location: the newest location, however old.
    ///   - utc: the system's clock.
    mutating func complete(
        _ heading: Heading, near location: Location?, at now: BootInstant, utc: UTCTime
    ) -> Heading {
        guard heading.trueHeading == nil, let magnetic = heading.magneticHeading, let location,
            location.age(at: now) <= Self.locationLifetime,
            let variation = variation(at: location, seconds: moment(location, at: now, utc: utc))
        else { return heading }
        var complete = heading
        complete.trueHeading = Self.turned(magnetic, by: variation)
        return complete
    }

    /// What the administrator has to know and has not been told: that the model has expired.
    mutating func consumeProblem() -> String? {
        defer { problem = nil }
        return problem
    }

    private mutating func variation(at location: Location, seconds: Double) -> Double? {
        if let last, abs(seconds - last.moment) < Self.dayLength,
            last.coordinate.distance(to: location.coordinate) < Self.moveThreshold
        {
            return last.declination?.degrees ?? location.magneticVariation
        }
        let declination = declination(at: location, seconds: seconds)
        last = Computed(coordinate: location.coordinate, moment: seconds, declination: declination)
        return declination?.degrees ?? location.magneticVariation
    }

    private mutating func declination(at location: Location, seconds: Double) -> Declination? {
        do throws(DeclinationAbsence) {
            return try model.declination(
                latitude: location.coordinate.latitude, longitude: location.coordinate.longitude,
                height: location.ellipsoidalAltitude ?? location.altitude ?? 0, at: seconds)
        } catch {
            if error == .expired, !hasReportedExpiry {
                hasReportedExpiry = true
                problem = "\(model.name) has expired; update locationd, or correct the system's clock"
            }
            return nil
        }
    }

    /// Seconds since 1970: by the system's clock, or by the receiver's while the system's has not been set, and in a
    /// replay.
    private func moment(_ location: Location, at now: BootInstant, utc: UTCTime) -> Double {
        let epoch = UTCTime(seconds: 0)
        let system = utc.seconds(since: epoch)
        let isSet = DecimalYear.year(at: system) >= model.epoch
        guard !isSet || location.source.isReplayed, let timestamp = location.timestamp else { return system }
        return timestamp.seconds(since: epoch) + location.age(at: now)
    }

    /// A direction turned clockwise, 0..<360, to the hundredth: the declination is known to some tenths.
    private static func turned(_ direction: Double, by degrees: Double) -> Double {
        let rest = ((direction + degrees) * 100).rounded().truncatingRemainder(dividingBy: 36_000) / 100
        // The addition turns -0 into 0.
        return (rest < 0 ? rest + 360 : rest) + 0
    }
}
