@_spi(Programs) package import LocationModel

/// What a receiver sees of the sky, for one SKY.
package struct SkyView: Sendable, Equatable {
    /// What identifies the device; see ``GPSDDevice/wirePath(_:)``.
    package let device: String?
    package var time: UTCTime?
    package var hdop: Double?
    package var vdop: Double?
    package var pdop: Double?
    package var satellites: [Satellite]

    package init(_ satellites: [Satellite], device: String?) {
        self.satellites = satellites
        self.device = device.map(GPSDDevice.wirePath)
    }

    /// With the dilutions that the last location of this device has.
    package init(_ satellites: [Satellite], with location: Location) {
        self.init(satellites, device: location.source.gpsdDevice)
        hdop = location.hdop
        vdop = location.vdop
        pdop = location.pdop
    }

    /// What libgps holds (MAXCHANNELS); more are cut off there.
    package static let mostSatellites = 140

    /// The SKY line, in gpsd's order of members and with its decimals. If there are too many satellites, those that are
    /// used come first; those without a number in gpsd's ranges are left out, and those of an unknown system whose
    /// number clients would take for another's.
    func skyLine() -> [UInt8] {
        let numbered = satellites.compactMap { satellite in
            SatelliteNumber(satellite).map { (satellite, $0) }
        }
        let listed =
            numbered.count <= Self.mostSatellites
            ? numbered
            : Array((numbered.filter { $0.0.used } + numbered.filter { !$0.0.used }).prefix(Self.mostSatellites))
        var text = LineText(class: "SKY", capacity: 192 + 96 * listed.count)
        text.add("device", device)
        text.add("time", time?.gpsdText)
        text.add("vdop", vdop, places: 2)
        text.add("hdop", hdop, places: 2)
        text.add("pdop", pdop, places: 2)
        text.add("nSat", listed.count)
        text.add("uSat", listed.count { $0.0.used })
        text.beginList("satellites")
        for (satellite, number) in listed {
            text.beginElement()
            text.add("PRN", number.prn)
            text.add("el", satellite.elevation, places: 1)
            text.add("az", satellite.azimuth?.belowFullCircle(1), places: 1)
            text.add("ss", satellite.signal, places: 1)
            text.add("used", satellite.used)
            if let native = number.native {
                text.add("gnssid", native.system)
                text.add("svid", native.number)
            }
            text.endElement()
        }
        text.endList()
        return text.line()
    }
}

/// A satellite's numbers in gpsd's protocol.
struct SatelliteNumber {
    /// In the ranges of NMEA 0183 before 4.10, as gpsd extends them.
    let prn: Int
    /// u-blox' gnssId and svId; `nil` if the system is not known.
    let native: (system: Int, number: Int)?

    /// A satellite's number is the system's own, or, where a receiver gives no other, already the PRN.
    ///
    /// - Returns: `nil` if it is in no range of the system, or, where nobody knows the system, in one of a known one.
    init?(_ satellite: Satellite) {
        func within(_ own: ClosedRange<Int>, _ system: Int, prnOffset offset: Int) -> SatelliteNumber? {
            if own.contains(satellite.id) {
                return SatelliteNumber(prn: satellite.id + offset, native: (system, satellite.id))
            }
            guard own.contains(satellite.id &- offset) else { return nil }
            return SatelliteNumber(prn: satellite.id, native: (system, satellite.id - offset))
        }
        let number: SatelliteNumber? =
            switch satellite.gnss {
            case "GPS": within(1...32, 0, prnOffset: 0)
            case "SBAS": within(120...151, 1, prnOffset: -87) ?? within(152...158, 1, prnOffset: 0)
            case "Galileo": within(1...36, 2, prnOffset: 300)
            case "BeiDou": within(1...63, 3, prnOffset: 400)
            case "IMES": within(1...10, 4, prnOffset: 172)
            case "QZSS": within(1...10, 5, prnOffset: 192)
            case "GLONASS": within(1...32, 6, prnOffset: 64)
            // NMEA has no range for it; gpsd begins at 501.
            case "NavIC": within(1...18, 7, prnOffset: 500)
            default:
                // Without gnssid, clients take a number for one of the system whose range it is in.
                Self.unassigned.contains { $0.contains(satellite.id) }
                    ? SatelliteNumber(prn: satellite.id, native: nil) : nil
            }
        guard let number else { return nil }
        self = number
    }

    /// Numbers in no system's range, by NMEA 0183 or by gpsd.
    private static let unassigned = [97...119, 159...172, 183...192, 203...300, 337...400, 464...500, 519...999]

    private init(prn: Int, native: (system: Int, number: Int)?) {
        self.prn = prn
        self.native = native
    }
}
