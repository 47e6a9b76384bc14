import DBus
import LocationModel

extension Location {
    /// The properties of GeoClue's interface `Location`: metres, metres per second, degrees.
    ///
    /// What is not known is the least number for an altitude and -1 for the others, as that interface demands.
    var geoClueProperties: [String: BusValue] {
        let time = timestamp ?? UTCTime(seconds: 0)
        return [
            "Latitude": .double(coordinate.latitude),
            "Longitude": .double(coordinate.longitude),
            "Accuracy": .double(horizontalAccuracy ?? -1),
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
