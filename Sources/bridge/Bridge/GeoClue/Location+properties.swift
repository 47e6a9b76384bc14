import DBus
@_spi(Programs) import LocationModel

extension Location {
    /// Metres: half the circumference of the Earth, beyond which no position is away from the true one.
    private static let worstAccuracy = 20_037_508.0

    /// The properties of GeoClue's interface `Location`: metres, metres per second, degrees.
    ///
    /// What is not known is the least number for an altitude and -1 for speed and course, as that interface demands. It
    /// has no value for an unknown accuracy, which is ``worstAccuracy``.
    var geoClueProperties: [String: BusValue] {
        let time = timestamp ?? UTCTime(seconds: 0)
        return [
            "Latitude": .double(coordinate.latitude),
            "Longitude": .double(coordinate.longitude),
            "Accuracy": .double(horizontalAccuracy ?? Self.worstAccuracy),
            "Altitude": .double(altitude ?? -Double.greatestFiniteMagnitude),
            "Speed": .double(speed ?? -1),
            "Heading": .double(course ?? -1),
            "Description": .string(source.isSimulated ? "simulated" : ""),
            "Timestamp": .structure([
                .uint64(UInt64(max(0, time.seconds))), .uint64(UInt64(time.nanoseconds / 1000)),
            ]),
        ]
    }
}
