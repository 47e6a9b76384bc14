import FoundationEssentials
@_spi(Programs) import LocationModel

/// What destinations by HTTP are sent of a message of the outbox, which is OwnTracks' JSON.
extension DeviceReport {
    /// A message of the outbox; `nil` if it is neither a location nor a transition.
    package init?(waiting payload: [UInt8]) {
        self.init(topic: "locationd", payload: payload, isRetained: false)
        guard kind == .location || kind == .transition else { return nil }
    }

    /// Knots in a kilometre per hour.
    private static let knots = 1 / 1.852

    /// The fields of OsmAnd's form, as Traccar reads it. What is not known is left out.
    ///
    /// - Parameter identifier: the device's in Traccar.
    package func osmAndFields(identifier: String) -> [(name: String, value: String)] {
        let fields: [(name: String, value: String?)] = [
            ("id", identifier), ("lat", lat.map { "\($0)" }), ("lon", lon.map { "\($0)" }),
            ("timestamp", tst.map { "\($0)" }), ("speed", vel.map { "\(($0 * Self.knots * 100).rounded() / 100)" }),
            ("bearing", cog.map { "\($0)" }), ("altitude", alt.map { "\($0)" }), ("accuracy", acc.map { "\($0)" }),
            ("batt", batt.map { "\($0)" }), ("event", event), ("region", desc),
            ("simulated", simulated == true ? "true" : nil),
        ]
        return fields.compactMap { name, value in value.map { (name, $0) } }
    }

    /// Home Assistant's `update_location`: whole, because it replaces all that was known; without `null`, which drops
    /// it; in whole numbers that are not negative, but the altitude.
    package var homeAssistantUpdate: [UInt8]? {
        guard let lat, let lon else { return nil }
        func whole(_ number: Double?) -> Int? {
            number.map { Int(min(max($0.rounded(), 0), Self.greatestNumber)) }
        }
        let position = HomeAssistantUpdate.Position(
            coordinate: [lat, lon], accuracy: whole(acc ?? Self.unknownAccuracy),
            altitude: alt.map { Int($0.rounded()) },
            speed: whole(vel.map { $0 / 3.6 }), course: whole(cog), battery: whole(batt))
        return try? Array(JSONEncoder().encode(HomeAssistantUpdate(data: position)))
    }

    /// Metres; Home Assistant drops a position without any. The daemon treats such a fix so too.
    private static let unknownAccuracy = 100.0
    /// Home Assistant takes a number of 20 digits, and fails then at each request for its states.
    private static let greatestNumber = 1e7
}

private struct HomeAssistantUpdate: Encodable {
    let type = "update_location"
    let data: Position

    private enum CodingKeys: String, CodingKey { case type, data }

    struct Position: Encodable {
        let coordinate: [Double]
        let accuracy, altitude, speed, course, battery: Int?

        private enum CodingKeys: String, CodingKey {
            case coordinate = "gps", accuracy = "gps_accuracy", altitude, speed, course, battery
        }
    }
}

/// OwnTracks' JSON as it is sent by HTTP.
package enum OwnTracksPost {
    /// The message with the topic that it has by MQTT, and otherwise byte for byte the same.
    package static func body(_ payload: [UInt8], user: String, device: String) -> [UInt8] {
        // Each message has its time, and its members are in the order of their names. In a text the quotation marks
        // would be escaped.
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        guard let place = payload.firstRange(of: Array(#","tst":"#.utf8)),
            let topic = try? encoder.encode("owntracks/\(user)/\(device)")
        else { return payload }
        return payload[..<place.lowerBound] + Array(#","topic":"#.utf8) + topic + payload[place.lowerBound...]
    }

    /// Whether a message answers a command: a command in the reply to that one is not carried out.
    package static func isResponse(_ payload: [UInt8]) -> Bool {
        payload.firstRange(of: Array(#","t":"r","#.utf8)) != nil
    }
}
