package import LocationModel

/// What Home Assistant's MQTT discovery needs to show the device on its map.
package struct HomeAssistantTracker: Sendable, Encodable {
    private let device: FleetDevice

    package init(_ device: FleetDevice) { self.device = device }

    /// - Parameter prefix: the topic under which Home Assistant looks for devices, `homeassistant` as it is installed.
    package func topic(under prefix: String) -> String { "\(prefix)/device_tracker/\(device.objectID)/config" }

    private enum CodingKeys: String, CodingKey {
        case name, uniqueID = "unique_id", objectID = "object_id", sourceType = "source_type"
        case attributesTopic = "json_attributes_topic", device
    }

    private struct Machine: Encodable {
        let identifiers: [String]
        let name: String
        let manufacturer = "locationd"

        private enum CodingKeys: String, CodingKey { case identifiers, name, manufacturer }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode("\(device.user) \(device.device)", forKey: .name)
        try container.encode(device.objectID, forKey: .uniqueID)
        try container.encode(device.objectID, forKey: .objectID)
        try container.encode("gps", forKey: .sourceType)
        try container.encode(device.attributesTopic, forKey: .attributesTopic)
        try container.encode(
            Machine(identifiers: [device.objectID], name: device.device), forKey: .device)
    }

    /// The position, as the tracker's attributes. What is not known is left out.
    package struct Attributes: Sendable, Encodable {
        private let location: Location
        private let time: UTCTime

        package init(_ location: Location, age: Double, now: UTCTime) {
            self.location = location
            time = UTCTime(seconds: location.unixTime(age: age, now: now))
        }

        private enum CodingKeys: String, CodingKey {
            case latitude, longitude, accuracy = "gps_accuracy", altitude, verticalAccuracy = "vertical_accuracy"
            case speed, course, time = "last_fix", simulated
        }

        package func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(location.coordinate.latitude, forKey: .latitude)
            try container.encode(location.coordinate.longitude, forKey: .longitude)
            try container.encodeIfPresent(location.horizontalAccuracy, forKey: .accuracy)
            try container.encodeIfPresent(location.altitude, forKey: .altitude)
            try container.encodeIfPresent(location.verticalAccuracy, forKey: .verticalAccuracy)
            try container.encodeIfPresent(location.speed, forKey: .speed)
            try container.encodeIfPresent(location.course, forKey: .course)
            try container.encode(time, forKey: .time)
            if location.source.isSimulated { try container.encode(true, forKey: .simulated) }
        }
    }
}
