@_spi(Programs) import LocationModel

/// What an invented receiver measures at one moment, as exact as NMEA writes it.
struct Epoch: Sendable {
    /// To the millisecond.
    let time: UTCTime
    /// Millionths of an arc minute, north and east.
    let north: Int
    let east: Int
    /// Decimetres above mean sea level.
    let altitude: Int
    /// Hundredths of a knot.
    let speed: Int
    /// Tenths of a degree.
    let course: Int

    static let knot = 1852.0 / 3600

    /// RMC, GGA, GSA and GSV: motion, position, dilutions, sky. The one with the date comes first, so that no fix is
    /// without its time.
    var sentences: String {
        let latitude = "\(Self.angle(north, digits: 2)),\(north < 0 ? "S" : "N")"
        let position = "\(latitude),\(Self.angle(east, digits: 3)),\(east < 0 ? "W" : "E")"
        return [
            "GPRMC,\(clock),A,\(position),\(Self.decimal(speed, 2)),\(Self.decimal(course, 1)),\(date),,,A",
            "GPGGA,\(clock),\(position),1,04,1.2,\(Self.decimal(altitude, 1)),M,39.5,M,,",
            "GPGSA,A,3,02,07,13,21,,,,,,,,,2.1,1.2,1.7",
            "GPGSV,1,1,04,02,45,100,44,07,60,200,41,13,30,300,38,21,15,045,33",
        ].map { body in
            let sum = body.utf8.reduce(0, ^)
            return "$\(body)*\(Self.padded(String(sum, radix: 16, uppercase: true), 2))\r\n"
        }.joined()
    }

    private var clock: String {
        let second = Int(time.seconds % 86_400)
        let parts = [second / 3600, second / 60 % 60, second % 60].map { Self.padded("\($0)", 2) }
        return parts.joined() + "." + Self.padded("\(time.nanoseconds / 1_000_000)", 3)
    }

    private var date: String {
        let text = Array(time.description)
        return String(text[8...9]) + String(text[5...6]) + String(text[2...3])
    }

    private static func angle(_ value: Int, digits: Int) -> String {
        let (degrees, minutes) = abs(value).quotientAndRemainder(dividingBy: 60_000_000)
        return padded("\(degrees)", digits) + padded("\(minutes / 1_000_000)", 2) + "."
            + padded("\(minutes % 1_000_000)", 6)
    }

    private static func decimal(_ value: Int, _ places: Int) -> String {
        let unit = places == 1 ? 10 : 100
        return "\(value / unit)." + padded("\(value % unit)", places)
    }

    private static func padded(_ text: String, _ count: Int) -> String {
        String(repeating: "0", count: max(0, count - text.count)) + text
    }
}
