import LocationModel

extension Location {
    /// This location as a GPX 1.1 `trkpt` element, with a line end after it.
    ///
    /// The children stand in the order of the schema's `wptType`, which is a sequence. `ele` is the altitude above
    /// mean sea level, as GPX readers take it; that above the ellipsoid is an extension.
    var gpxTrackPoint: String {
        let latitude = GPXNumber.decimal(coordinate.latitude) ?? "0"
        let longitude = GPXNumber.longitude(coordinate.longitude) ?? "0"
        let children = [
            xmlElement("ele", GPXNumber.decimal(altitude)),
            xmlElement("time", timestamp?.writable?.description),
            xmlElement("magvar", GPXNumber.direction(magneticVariation)),
            xmlElement("geoidheight", GPXNumber.decimal(geoidSeparation)),
            xmlElement("src", [source.name, source.device].compactMap { $0 }.joined(separator: " ")),
            xmlElement("fix", gpxFix),
            xmlElement("sat", satellitesUsed.flatMap { $0 < 0 ? nil : String($0) }),
            xmlElement("hdop", GPXNumber.decimal(hdop)),
            xmlElement("vdop", GPXNumber.decimal(vdop)),
            xmlElement("pdop", GPXNumber.decimal(pdop)),
            GPXExtensions.element(for: self),
        ]
        let lines = children.compactMap { $0 }.map { "  " + $0 + "\n" }
        return "<trkpt lat=\"\(latitude)\" lon=\"\(longitude)\">\n" + lines.joined() + "</trkpt>\n"
    }

    /// The schema's `fixType`; `nil` where no satellites told the position, or nobody knows how.
    private var gpxFix: String? {
        switch (augmentation, mode) {
        case (.deadReckoning, _), (.timeOnly, _): nil
        case (.dgps, _), (.rtkFixed, _), (.rtkFloat, _): "dgps"
        case (.precise, _): "pps"
        case (_, .twoDimensional): "2d"
        case (_, .threeDimensional): "3d"
        case (_, .unknown): nil
        }
    }
}
