@_spi(Programs) package import LocationModel

/// Which locations are published: a pure decision for each fix.
package struct ReportPolicy: Sendable, Equatable {
    /// Seconds that pass between two published locations at least.
    package var interval = 10.0
    /// Metres that the position must have moved since the published one; 0 publishes at every interval.
    package var distance = 20.0
    /// A location of worse or unknown accuracy in metres is not published; `nil` publishes any.
    package var requiredAccuracy: Double?
    /// Seconds after which a location is published although the device stands; `nil` for never.
    package var heartbeat: Double? = 300
    /// Whether estimates are published in place of fixes.
    package var estimates = false
    /// Whether locations that software has invented are published.
    package var includesSimulated = false
    /// When locations are published. ``decide(_:since:at:)`` does not look at it: the hours concern all that is
    /// published.
    package var hours = ReportHours()

    package init() {}

    /// What becomes of a fix.
    package enum Decision: Sendable, Equatable {
        case publish(OwnTracksLocation.Trigger)
        case hold(Reason)
    }

    /// Why a fix is not published.
    package enum Reason: Sendable, Equatable {
        case simulated
        case inaccurate
        /// The interval is not over.
        case tooSoon
        /// The device has not moved.
        case standing
    }

    /// What was published last.
    package struct Anchor: Sendable, Equatable {
        let coordinate: Coordinate
        /// By the clock that never jumps.
        let time: BootInstant

        package init(_ location: Location, at now: BootInstant) {
            coordinate = location.coordinate
            time = now
        }
    }

    /// - Parameters:
    ///   - anchor: what was published last; `nil` for nothing.
    ///   - now: the clock that counts from boot. The wall clock may be set at any time.
    package func decide(_ location: Location, since anchor: Anchor?, at now: BootInstant) -> Decision {
        if location.source.isSimulated, !includesSimulated { return .hold(.simulated) }
        if let requiredAccuracy {
            guard let accuracy = location.horizontalAccuracy, accuracy <= requiredAccuracy else {
                return .hold(.inaccurate)
            }
        }
        guard let anchor else { return .publish(.moving) }
        let elapsed = now.seconds(since: anchor.time)
        guard elapsed + Self.tolerance >= interval else { return .hold(.tooSoon) }
        if distance == 0 || anchor.coordinate.distance(to: location.coordinate) >= distance {
            return .publish(.moving)
        }
        if let heartbeat, elapsed + Self.tolerance >= heartbeat { return .publish(.heartbeat) }
        return .hold(.standing)
    }

    /// Seconds. Fixes come once a second, but not to the millisecond: an interval of 10 s is to end with the tenth.
    private static let tolerance = 0.25
}
