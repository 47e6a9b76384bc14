/// Names of satellite systems.
enum GNSS {
    private static let names = ["GPS", "SBAS", "Galileo", "BeiDou", "IMES", "QZSS", "GLONASS", "NavIC"]

    /// By u-blox' gnssId, which gpsd sends as `gnssid`.
    static func name(ofID id: Int) -> String {
        names.indices.contains(id) ? names[id] : "unknown"
    }

    /// By the number range of NMEA 0183 before 4.10, for receivers that tell no `gnssid`.
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
