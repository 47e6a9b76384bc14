import Glibc

/// Where magnetic north is, as seen from a place.
package struct Declination: Sendable, Equatable {
    /// Degrees by which magnetic north is east of true north, -180...180; also called the magnetic variation.
    package let degrees: Double
    /// Its standard error, degrees; larger near the magnetic poles.
    package let accuracy: Double
}

/// Why there is no declination.
package enum DeclinationAbsence: Error, Sendable, Equatable {
    /// The moment is before the model's first year.
    case tooEarly
    /// The moment is after the model's last year.
    case expired
    /// The place is in the blackout zone around a magnetic pole, where a compass is of no use.
    case blackout
}

extension MagneticModel {
    /// nT: where the horizontal intensity is less, the model's authors call compasses unreliable ("blackout zone"). The
    /// declination's error is 2.7° there, and grows fast towards the pole.
    package static let blackoutIntensity = 2000.0

    /// The declination at a place.
    ///
    /// - Parameters:
    ///   - height: metres above the WGS 84 ellipsoid; the altitude will do, because a kilometre changes the result by
    ///     less than a hundredth of a degree in most places.
    ///   - seconds: since 1970-01-01T00:00:00Z.
    package func declination(
        latitude: Double, longitude: Double, height: Double, at seconds: Double
    ) throws(DeclinationAbsence) -> Declination {
        let year = DecimalYear.year(at: seconds)
        guard year >= epoch else { throw .tooEarly }
        guard year < end else { throw .expired }
        let field = field(latitude: latitude, longitude: longitude, height: height, year: year)
        guard field.horizontalIntensity >= Self.blackoutIntensity else { throw .blackout }
        return Declination(degrees: field.declination, accuracy: declinationError(of: field))
    }
}

/// Moments as years with a fraction.
package enum DecimalYear {
    /// - Parameter seconds: since 1970-01-01T00:00:00Z.
    package static func year(at seconds: Double) -> Double {
        // The year is 2000 at this moment; every fourth year from then on has a leap day, until 2100.
        let days = (seconds - 946_684_800) / 86_400
        let cycle = (days / 1461).rounded(.down)
        let rest = days - cycle * 1461
        let start = 2000 + 4 * cycle
        if rest < 366 { return start + rest / 366 }
        return start + 1 + (rest - 366) / 365
    }
}
