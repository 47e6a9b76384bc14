import LocationModel

extension Location {
    /// Height of the geoid (mean sea level) above the WGS 84 ellipsoid here, metres, when both altitudes are known.
    var geoidSeparation: Double? {
        guard let altitude, let ellipsoidalAltitude else { return nil }
        let separation = ellipsoidalAltitude - altitude
        return separation.isFinite ? separation : nil
    }

    /// True if nobody measured this position now: it is invented, or played back.
    var isMadeUp: Bool { source.isSimulated || source.isReplayed }

    /// The mode's name on the wire; `nil` for one of a later version.
    var modeName: String? { mode == .unknown ? nil : mode.rawValue }

    /// The augmentation's name on the wire; `nil` for none and for one of a later version.
    var augmentationName: String? { augmentation == .unknown ? nil : augmentation?.rawValue }

    /// Its number; `nil` before the daemon has given one.
    var givenSequence: Int64? { sequence == 0 ? nil : sequence }
}
