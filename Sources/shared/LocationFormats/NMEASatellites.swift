@_spi(Programs) import LocationModel

/// The satellites of one system as NMEA 0183 names them: 4.10 and 4.11, as u-blox' receivers write it and gpsd reads
/// it.
enum NMEASystem: Int, CaseIterable, Comparable {
    /// GPS 1 to 32, SBAS 33 to 64 (their PRN less 87) and 152 to 158, and, which no edition has, IMES 173 to 182 as
    /// gpsd numbers it.
    case gps = 1
    /// 65 to 96.
    case glonass = 2
    case galileo = 3
    case beiDou = 4
    case qzss = 5
    case navIC = 6

    /// The talker of GSV, and of all sentences where no other system's satellites are used.
    var talker: String {
        switch self {
        case .gps: "GP"
        case .glonass: "GL"
        case .galileo: "GA"
        case .beiDou: "GB"
        case .qzss: "GQ"
        case .navIC: "GI"
        }
    }

    static func < (one: NMEASystem, other: NMEASystem) -> Bool { one.rawValue < other.rawValue }
}

/// A satellite with its number in NMEA 0183.
struct NMEASatellite {
    let system: NMEASystem
    let number: Int
    let satellite: Satellite

    /// A satellite's number is the system's own, or, where a receiver gives no other, the one of before NMEA 4.10 as
    /// gpsd extends it.
    ///
    /// - Returns: `nil` if the system is not known, or the number is in none of its ranges.
    init?(_ satellite: Satellite) {
        let id = satellite.id
        func within(_ own: ClosedRange<Int>, extended offset: Int) -> Int? {
            own.contains(id) ? id : own.contains(id &- offset) ? id - offset : nil
        }
        let found: (NMEASystem, Int?) =
            switch satellite.gnss {
            case "GPS": (.gps, (1...32).contains(id) ? id : nil)
            case "SBAS": (.gps, (152...158).contains(id) ? id : within(120...151, extended: -87).map { $0 - 87 })
            case "IMES": (.gps, within(1...10, extended: 172).map { $0 + 172 })
            case "GLONASS": (.glonass, within(1...32, extended: 64).map { $0 + 64 })
            case "Galileo": (.galileo, within(1...36, extended: 300))
            case "BeiDou": (.beiDou, within(1...63, extended: 400))
            case "QZSS": (.qzss, within(1...10, extended: 192))
            case "NavIC": (.navIC, within(1...18, extended: 500))
            default: (.gps, nil)
            }
        guard let number = found.1 else { return nil }
        (system, self.number, self.satellite) = (found.0, number, satellite)
    }

    var digits: String { zeroPadded(number, 2) }
}

/// Satellites by their systems, in the order of the systems' numbers.
struct NMEASky {
    private let satellites: [NMEASystem: [NMEASatellite]]

    init(_ satellites: [Satellite]) {
        self.satellites = Dictionary(grouping: satellites.compactMap(NMEASatellite.init), by: \.system)
    }

    /// The sentences of the satellites in view: GSV of each system that has some. GPS' come first, and always, because
    /// by them readers such as gpsd know that a new view begins.
    ///
    /// There is no signal's number, which came with NMEA 4.10: what is known is known of a satellite, not of each of
    /// its signals. Elevations below the horizon are empty.
    var sentences: String {
        NMEASystem.allCases.filter { $0 == .gps || satellites[$0] != nil }
            .map { sentences(of: satellites[$0] ?? [], talker: $0.talker) }.joined()
    }

    private func sentences(of satellites: [NMEASatellite], talker: String) -> String {
        // The fields have two digits; a system has fewer satellites.
        let listed = Array(satellites.prefix(99))
        let parts = max(1, (listed.count + Self.each - 1) / Self.each)
        return (0..<parts).map { part in
            let fields = listed.dropFirst(part * Self.each).prefix(Self.each).flatMap { satellite in
                [
                    satellite.digits,
                    NMEAFields.integer(satellite.satellite.elevation, in: 0...90, digits: 2),
                    NMEAFields.integer(satellite.satellite.azimuth.map(Self.belowFullCircle), in: 0...359, digits: 3),
                    NMEAFields.integer(satellite.satellite.signal, in: 0...99, digits: 2),
                ]
            }
            return NMEASentence.framed(
                [talker + "GSV", "\(parts)", "\(part + 1)", zeroPadded(listed.count, 2)] + fields)
        }
        .joined()
    }

    /// Satellites in a GSV.
    private static let each = 4

    private static func belowFullCircle(_ degrees: Double) -> Double {
        let rounded = degrees.rounded()
        return rounded == 360 ? 0 : rounded
    }

    /// The talker of a location's sentences.
    var talker: String {
        let systems = satellites.filter { $0.value.contains(where: \.satellite.used) }.keys
        return systems.count > 1 ? "GN" : (systems.first ?? .gps).talker
    }

    /// The used satellites, each list with the number of its system and as many satellites as a GSA has room for.
    var used: [(system: NMEASystem, numbers: [String])] {
        satellites.sorted { $0.key < $1.key }.flatMap { system, satellites in
            let numbers = satellites.filter(\.satellite.used).map(\.digits)
            return stride(from: 0, to: numbers.count, by: NMEASky.room).map { start in
                (system, Array(numbers.dropFirst(start).prefix(NMEASky.room)))
            }
        }
    }

    /// Satellites in a GSA.
    static let room = 12
}

extension Location {
    /// The GSA sentences: the kind of fix, the satellites that are used, PDOP, HDOP and VDOP.
    ///
    /// One per system, each with the system's number, which came with NMEA 4.10. Where no satellite is known it is one
    /// without such a number, as in earlier editions.
    func nmeaGSA(_ sky: NMEASky) -> String {
        let used = sky.used
        let lists = used.isEmpty ? [([], [])] : used.map { ($0.numbers, ["\($0.system.rawValue)"]) }
        return lists.map { numbers, system in nmeaGSA(sky.talker, numbers, system: system) }.joined()
    }

    private func nmeaGSA(_ talker: String, _ numbers: [String], system: [String]) -> String {
        func sentence(decimals: Int) -> String {
            NMEASentence.framed(
                [talker + "GSA", "A", mode == .threeDimensional ? "3" : "2"]
                    + numbers + Array(repeating: "", count: NMEASky.room - numbers.count)
                    + [pdop, hdop, vdop].map { NMEAFields.dilution($0, decimals: decimals) } + system)
        }
        let exact = sentence(decimals: 2)
        return exact.utf8.count <= NMEASentence.longest ? exact : sentence(decimals: 1)
    }
}
