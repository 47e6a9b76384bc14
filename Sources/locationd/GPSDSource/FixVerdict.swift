@_spi(Programs) import LocationModel

/// The classification of a position report.
enum FixVerdict: Equatable {
    case fix(Location)
    /// The receiver says it has no fix.
    case noFix
    /// A mode without a position: neither a fix nor its loss.
    case withoutPosition
    /// Impossible numbers.
    case rejected
}

extension PositionReport {
    /// Classifies the report: mode below 2 is no fix; a position outside the globe is rejected; any other impossible
    /// field is left out, and `spoilt` is incremented.
    func verdict(source: String, at now: BootInstant, spoilt: inout Int) -> FixVerdict {
        spoilt += infinite
        guard (0...3).contains(mode) else { return .rejected }
        guard mode >= 2 else { return .noFix }
        guard let latitude, let longitude else { return infinite > 0 ? .rejected : .withoutPosition }
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else { return .rejected }

        func within(_ range: ClosedRange<Double>, _ value: Double?) -> Double? {
            guard let value else { return nil }
            if range.contains(value) { return value }
            spoilt += 1
            return nil
        }
        let (notNegative, height) = (Location.possibleMagnitudes, Location.possibleHeights)
        var location = Location(
            coordinate: coordinate, mode: mode == 3 ? .threeDimensional : .twoDimensional, monotonicTime: now,
            source: SourceInformation(name: source, device: device, method: status == 8 ? .simulated : .gnss))
        location.horizontalAccuracy = within(notNegative, horizontalAccuracy)
        location.altitude = within(height, altitude)
        location.ellipsoidalAltitude = within(height, ellipsoidalAltitude)
        location.geoidSeparation = within(-1000...1000, geoidSeparation)
        location.verticalAccuracy = within(notNegative, verticalAccuracy)
        if let east = within(notNegative, longitudeAccuracy), let north = within(notNegative, latitudeAccuracy) {
            location.errorEllipse = ErrorEllipse(longitudeError: east, latitudeError: north)
        }
        location.speed = within(notNegative, speed)
        location.speedAccuracy = within(notNegative, speedAccuracy)
        location.course = within(0...360, course).map { $0 == 360 ? 0 : $0 }
        location.courseAccuracy = within(notNegative, courseAccuracy)
        location.climb = within(height, climb)
        location.climbAccuracy = within(notNegative, climbAccuracy)
        location.magneticVariation = within(-180...180, magneticVariation)
        location.augmentation = Augmentation(gpsdStatus: status)
        location.antenna = antenna
        location.jamming = jamming.flatMap { Self.jammingRange.contains($0) ? $0 : nil }
        if jamming != nil, location.jamming == nil { spoilt += 1 }
        location.timestamp = time
        return .fix(location)
    }

    /// Of u-blox' indicator, which gpsd passes on.
    private static let jammingRange = 0...255

    /// What the receiver says may keep it from a fix, in words; `nil` if it says nothing.
    var obstacle: String? {
        let receiver = device ?? "the receiver"
        switch antenna {
        case .open: return "\(receiver) has no antenna; check its plug and cable"
        case .short: return "the antenna of \(receiver) has a short circuit; check its plug and cable"
        case .ok, .unknown, nil: break
        }
        guard mode < 2, let jamming, Self.jammingRange.contains(jamming), jamming > Self.jammingRange.upperBound / 2
        else { return nil }
        return "\(receiver) reports jamming, \(jamming) of 255; move it away from other transmitters and electronics"
    }
}

extension AntennaState {
    /// The state for the number in gpsd's gps.h; `nil` if it is unknown. The manual page of gpsd 3.27 exchanges 2 and
    /// 3.
    init?(gpsdState: Int) {
        switch gpsdState {
        case 1: self = .ok
        case 2: self = .open
        case 3: self = .short
        default: return nil
        }
    }
}

extension Augmentation {
    /// The augmentation for gpsd's fix status number (its names changed between versions): 0 and 1 are plain fixes.
    init?(gpsdStatus: Int) {
        switch gpsdStatus {
        case 2: self = .dgps
        case 3: self = .rtkFixed
        case 4: self = .rtkFloat
        case 5: self = .deadReckoning
        case 6: self = .gnssDeadReckoning
        case 7: self = .timeOnly
        case 8: self = .simulated
        case 9: self = .precise
        default: return nil
        }
    }
}

/// gpsd's report about one receiver as Swift values: numbers are finite, absent is `nil`, plausibility is not yet
/// checked.
enum Report: Equatable {
    case position(PositionReport)
    case sky(SkyReport)
    case attitude(AttitudeReport)
    case errors(ErrorReport)
}

/// A TPV.
struct PositionReport: Equatable {
    var device: String?
    var mode = 0
    var status = 0
    var time: UTCTime?
    var latitude, longitude: Double?
    var altitude, ellipsoidalAltitude, geoidSeparation: Double?
    var horizontalAccuracy, verticalAccuracy, sphericalAccuracy: Double?
    var longitudeAccuracy, latitudeAccuracy: Double?
    var speed, speedAccuracy: Double?
    var course, courseAccuracy: Double?
    var climb, climbAccuracy: Double?
    var magneticVariation: Double?
    var antenna: AntennaState?
    var jamming: Int?
    /// Fields that were present but not finite: libgps accepts infinity as a number in JSON.
    var infinite = 0
}

/// A SKY.
struct SkyReport: Equatable {
    var device: String?
    var hdop, vdop, pdop: Double?
    /// Of the list; `nil` if the report has none, as the second one of an epoch since gpsd 3.25.
    var counts: SatelliteCounts?
    /// The list, if it was needed.
    var satellites: [Satellite]?
    var satellitesUsed: Int?
}

extension SkyReport {
    /// Reads a report without libgps.
    ///
    /// - Returns: `nil` if it is not as gpsd writes it, or is more than libgps accepts: then libgps decides.
    init?(counted facts: JSONScanner.Facts, in line: [UInt8]) {
        guard facts.isPlain, facts.listed.visible <= Unpacker.satelliteCapacity else { return nil }
        self.init()
        if let path = facts.device, !path.isEmpty {
            guard path.count < Unpacker.pathCapacity else { return nil }
            device = Printable.text(String(decoding: line[path], as: UTF8.self))
        }
        func finite(_ value: Double?) -> Double? { value.flatMap { $0.isFinite ? $0 : nil } }
        (hdop, vdop, pdop) = (finite(facts.hdop), finite(facts.vdop), finite(facts.pdop))
        count(facts.listed, facts)
    }

    /// gpsd's own count of the used ones is preferred to ours, because the list is incomplete for receivers that report
    /// one satellite at a time. (libgps does not read it before gpsd 3.25.)
    mutating func count(_ listed: SatelliteCounts, _ facts: JSONScanner.Facts) {
        counts = listed.visible == 0 && facts.satellitesVisible != 0 ? nil : listed
        let reported = facts.satellitesUsed.flatMap { (0...1000).contains($0) ? $0 : nil }
        satellitesUsed = reported ?? counts?.used
    }
}

/// An ATT.
struct AttitudeReport: Equatable {
    var device: String?
    var time: UTCTime?
    /// Degrees from true north, as gpsd documents it.
    var heading: Double?
    var magneticHeading: Double?
    var pitch, roll: Double?
}

/// A GST: standard deviations, metres and degrees.
struct ErrorReport: Equatable {
    var device: String?
    var time: UTCTime?
    var semiMajor, semiMinor, orientation: Double?
    var longitude, latitude: Double?

    /// The ellipse; without axes of its own, along the meridian and the parallel. `nil` if neither is known.
    var ellipse: ErrorEllipse? {
        if let semiMajor, let semiMinor, let orientation {
            return ErrorEllipse(
                semiMajorAxis: semiMajor, semiMinorAxis: semiMinor, orientation: orientation, isStandardDeviation: true)
        }
        guard let longitude, let latitude else { return nil }
        var ellipse = ErrorEllipse(longitudeError: longitude, latitudeError: latitude)
        ellipse?.isStandardDeviation = true
        return ellipse
    }
}

/// Names of satellite systems.
enum GNSS {
    private static let names = ["GPS", "SBAS", "Galileo", "BeiDou", "IMES", "QZSS", "GLONASS", "NavIC"]

    /// By u-blox' gnssId, which gpsd sends as `gnssid`.
    static func name(ofID id: Int) -> String {
        names.indices.contains(id) ? names[id] : "unknown"
    }

    /// By the number range of NMEA 0183 before 4.10, for receivers that report no `gnssid`.
    static func name(ofPRN number: Int) -> String {
        switch number {
        case 1...32: "GPS"
        case 33...64, 120...158: "SBAS"
        case 65...96: "GLONASS"
        case 193...202: "QZSS"
        case 301...336: "Galileo"
        case 401...437: "BeiDou"
        default: "unknown"
        }
    }
}

/// Sanitizes foreign text for display: hostile bytes must not control the administrator's terminal, nor fill the log.
enum Printable {
    /// The most bytes shown of an unusable line.
    static let lineLength = 80
    /// The most characters shown of a text within a sentence.
    static let textLength = 200

    /// The beginning of a line; what is not printable ASCII is `?`.
    static func line(_ bytes: [UInt8]) -> String {
        let shown = bytes.prefix(lineLength).map { (0x20..<0x7F).contains($0) ? Character(Unicode.Scalar($0)) : "?" }
        return String(shown) + (bytes.count > lineLength ? "…" : "")
    }

    /// The beginning of a text in any script; control and format characters, and line separators, are `?`.
    static func text(_ text: String) -> String {
        // Fast path: nearly all texts are like this, and this runs for each report.
        if text.utf8.count <= textLength, text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(textLength) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: shown.append("?")
            default: shown.append(scalar)
            }
        }
        return String(shown) + (text.unicodeScalars.count > textLength ? "…" : "")
    }

    /// Sanitizes a list of texts.
    static func text(_ texts: [String]) -> String {
        text(texts.joined(separator: ", "))
    }
}
