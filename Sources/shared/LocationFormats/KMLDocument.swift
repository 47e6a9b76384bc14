@_spi(Programs) package import LocationModel

/// A KML 2.2 document (OGC 07-147r2): a placemark with a time stamp for each location, and a line for each segment.
///
/// Placemarks rather than the `gx:Track` of Google's extension, which has all times before all positions and so cannot
/// be written while locations come. A new segment begins where it does in ``GPXTrack``; a long one is several lines
/// that share their ends, so that only a part is in memory. Altitudes are above mean sea level, as KML defines them;
/// without one a placemark lies on the ground. The document is well-formed only once closed.
package struct KMLDocument: LocationFormat {
    /// The positions of a line, at most.
    static let lineLimit = 1000

    private var segments: TrackSegments
    private var line: [(coordinate: Coordinate, altitude: Double?)] = []
    private var isMadeUp = false

    /// - Parameter longestGap: Seconds between two locations of one segment, at most; `nil` for any.
    package init(longestGap: Double? = 30) {
        segments = TrackSegments(longestGap: longestGap)
    }

    package var opening: String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <kml xmlns="http://www.opengis.net/kml/2.2">
        <Document>
        <name>locationd</name>
        <Style id="measured"><IconStyle><scale>0.4</scale></IconStyle></Style>
        <Style id="not-measured"><IconStyle><color>7f7f7f7f</color><scale>0.4</scale></IconStyle>\
        <LineStyle><color>7f7f7f7f</color></LineStyle></Style>

        """
    }

    package mutating func record(for location: Location) -> String {
        var text = ""
        if !segments.continues(with: location) {
            text = linePlacemark
            line = []
        } else if line.count >= Self.lineLimit {
            text = linePlacemark
            line = line.suffix(1)
        }
        isMadeUp = location.isMadeUp
        line.append((location.coordinate, location.altitude.flatMap { KMLNumber.altitude($0) == nil ? nil : $0 }))
        return text + location.kmlPlacemark
    }

    package mutating func interrupt() { segments.interrupt() }

    package var closing: String { linePlacemark + "</Document>\n</kml>\n" }

    /// The line so far; empty for less than two positions.
    private var linePlacemark: String {
        guard line.count > 1 else { return "" }
        let isAbsolute = line.allSatisfy { $0.altitude != nil }
        let positions = line.map { KMLNumber.position($0.coordinate, isAbsolute ? $0.altitude : nil) }
        return "<Placemark>" + KMLNumber.style(isMadeUp: isMadeUp) + "<LineString><tessellate>1</tessellate>"
            + KMLNumber.altitudeMode(isAbsolute: isAbsolute)
            + "<coordinates>\(positions.joined(separator: " "))</coordinates></LineString></Placemark>\n"
    }
}

extension Location {
    /// This location as a KML placemark on one line; the data have the wire's names, with the unit appended.
    fileprivate var kmlPlacemark: String {
        let position = KMLNumber.position(coordinate, altitude)
        let time = (timestamp?.writable?.description).map { "<TimeStamp><when>\($0)</when></TimeStamp>" } ?? ""
        return "<Placemark>" + time + KMLNumber.style(isMadeUp: isMadeUp)
            + "<ExtendedData>" + kmlData.joined() + "</ExtendedData>"
            + "<Point>" + KMLNumber.altitudeMode(isAbsolute: KMLNumber.altitude(altitude) != nil)
            + "<coordinates>\(position)</coordinates></Point></Placemark>\n"
    }

    private var kmlData: [String] {
        let measured = MeasuredField.all.map { field in
            (field.name + (field.unit.map { "_" + $0 } ?? ""), field.value(self)?.plainDecimal)
        }
        let others = [
            ("mode", modeName), ("augmentation", augmentationName), ("satellitesUsed", satellitesUsed.map { "\($0)" }),
            ("source", source.name), ("device", source.device), ("method", methodName),
            ("isSimulated", source.isSimulated ? "true" : nil), ("isReplayed", source.isReplayed ? "true" : nil),
            ("implausible", implausibility?.rawValue),
        ]
        return (measured + others).compactMap { name, value in
            value.map { "<Data name=\"\(name)\"><value>\(xmlEscaped($0))</value></Data>" }
        }
    }
}

/// The parts that placemarks of points and lines share.
private enum KMLNumber {
    /// Longitude, latitude and, if it is known, the altitude above mean sea level.
    static func position(_ coordinate: Coordinate, _ metres: Double?) -> String {
        let longitude = GPXNumber.decimal(coordinate.longitude) ?? "0"
        let latitude = GPXNumber.decimal(coordinate.latitude) ?? "0"
        return [longitude, latitude, altitude(metres)].compactMap(\.self).joined(separator: ",")
    }

    static func altitude(_ metres: Double?) -> String? { GPXNumber.decimal(metres) }

    static func altitudeMode(isAbsolute: Bool) -> String {
        "<altitudeMode>\(isAbsolute ? "absolute" : "clampToGround")</altitudeMode>"
    }

    static func style(isMadeUp: Bool) -> String {
        "<styleUrl>#\(isMadeUp ? "not-measured" : "measured")</styleUrl>"
    }
}
