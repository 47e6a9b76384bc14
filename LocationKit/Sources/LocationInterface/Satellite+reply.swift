@_spi(Programs) public import LocationModel
import Varlink

extension WatchReply {
    /// Encodes a reply of a watch with nothing but satellites. The result equals that of encoding a ``WatchReply``; it
    /// is written by hand because it is sent as often as a fix.
    ///
    /// - Returns: `nil` if a number is not finite.
    @_spi(Programs) public static func encoded(_ satellites: [Satellite]) -> [UInt8]? {
        var text = ReplyText(capacity: 64 + 96 * satellites.count)
        text.beginList("satellites")
        for satellite in satellites {
            text.beginElement()
            text.add("azimuth", satellite.azimuth)
            text.add("elevation", satellite.elevation)
            text.add("gnss", satellite.gnss)
            text.add("id", satellite.id)
            text.add("signal", satellite.signal)
            text.add("used", satellite.used)
            text.end()
        }
        text.endList()
        return text.finish()
    }
}

/// Several times as many as there are.
private let satelliteLimit = 1024

extension KeyedDecodingContainer {
    /// What the decoding of ``WatchReply`` calls, in place of the standard library's.
    func decodeIfPresent(_ type: [Satellite].Type, forKey key: Key) throws -> [Satellite]? {
        try decodeListIfPresent(atMost: satelliteLimit, forKey: key)
    }
}

extension ReplyReader {
    /// Reads the satellites of a watch's reply; `nil` if it has none.
    mutating func satellites() -> [Satellite]? {
        guard beginList("satellites") else { return nil }
        var satellites: [Satellite] = []
        while beginElement() {
            guard satellites.count < satelliteLimit else { return fail() }
            let (azimuth, elevation) = (number("azimuth"), number("elevation"))
            guard let gnss = text("gnss"), let id = integer("id", as: Int.self) else { return nil }
            let signal = number("signal")
            guard let used = flag("used") else { return nil }
            end()
            var satellite = Satellite(gnss: gnss, id: id, used: used)
            (satellite.azimuth, satellite.elevation, satellite.signal) = (azimuth, elevation, signal)
            satellites.append(satellite)
        }
        return satellites
    }
}
