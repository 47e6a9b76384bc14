import LocationModel

extension Location {
    /// The GGA sentence: time, position, quality, satellites, HDOP, altitude above mean sea level, geoid separation.
    /// Age and station of differential corrections are not known.
    var nmeaGGA: String {
        // An altitude of six digits before the point belongs to a satellite; centimetres would not fit, nor matter.
        let metres = altitude ?? 0
        let height = NMEAFields.number(
            altitude, in: -99_999_999...99_999_999, decimals: metres.magnitude < 99_999 ? 2 : 0)
        let separation = NMEAFields.number(geoidSeparation, in: -999...999, decimals: 2)
        return NMEASentence.fitting { decimals in
            ["GNGGA", NMEAFields.time(timestamp)]
                + NMEAFields.position(coordinate, minuteDecimals: decimals)
                + [
                    String(NMEAQuality(of: self).indicator), satellites,
                    NMEAFields.number(hdop.map { min($0, 99.99) }, in: 0...99.99, decimals: 2),
                    height, height.isEmpty ? "" : "M", separation, separation.isEmpty ? "" : "M", "", "",
                ]
        }
    }

    private var satellites: String {
        satellitesUsed.map { $0 < 0 ? "" : zeroPadded(min($0, 99), 2) } ?? ""
    }
}
