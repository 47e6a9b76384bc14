package import LocationModel

/// NMEA 0183 (version 2.3 and later), a GGA and an RMC sentence per location, talker `GN`.
///
/// Both sentences of a location carry the same time, from which readers such as gpsd see that they belong together.
/// A location without timestamp leaves time and date empty in both. Readers differ in what they make of that: gpsd
/// reports position, speed and course without a time, others may pass over an RMC that they cannot date.
package struct NMEASentences: LocationFormat {
    package init() {}

    package var opening: String { "" }

    package func record(for location: Location) -> String { location.nmeaGGA + location.nmeaRMC }

    package var closing: String { "" }

    /// What says that there is no fix: GGA of quality 0 and RMC of status `V`, all else empty.
    package static let noFix =
        NMEASentence.framed(["GNGGA", "", "", "", "", "", "0"] + Array(repeating: "", count: 8))
        + NMEASentence.framed(["GNRMC", "", "V"] + Array(repeating: "", count: 9) + ["N"])
}
