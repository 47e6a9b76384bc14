@_spi(Programs) package import LocationModel

/// What Home Assistant's MQTT discovery needs to show the device on its map.
package struct HomeAssistantTracker: Sendable, Encodable {
    private let device: FleetDevice
    private let version: String

    /// - Parameter version: of this program.
    package init(_ device: FleetDevice, version: String) { (self.device, self.version) = (device, version) }

    /// - Parameter prefix: the topic under which Home Assistant looks for devices, `homeassistant` as it is installed.
    package func topic(under prefix: String) -> String { "\(prefix)/device_tracker/\(device.objectID)/config" }

    private enum CodingKeys: String, CodingKey {
        case name, uniqueID = "unique_id", objectID = "object_id", entityID = "default_entity_id"
        case sourceType = "source_type", attributesTopic = "json_attributes_topic", device, origin
    }

    private struct Machine: Encodable {
        let identifiers: [String]
        let name: String
        let manufacturer = "locationd"

        private enum CodingKeys: String, CodingKey { case identifiers, name, manufacturer }
    }

    /// The program that announces the device.
    private struct Origin: Encodable {
        let name = "locationd-fleet"
        let version: String

        private enum CodingKeys: String, CodingKey { case name, version = "sw_version" }
    }

    /// `null`, so that the entity has its device's name: Home Assistant joins the names of device and entity if both
    /// exist.
    ///
    /// Home Assistant takes the entity's identifier from `default_entity_id` (2026.2 does, 2025.4 does not), before
    /// that from `object_id`, which goes with 2026.4; it leaves out a key that it does not know.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeNil(forKey: .name)
        try container.encode(device.objectID, forKey: .uniqueID)
        try container.encode(device.objectID, forKey: .objectID)
        try container.encode("device_tracker.\(device.objectID.lowercased())", forKey: .entityID)
        try container.encode("gps", forKey: .sourceType)
        try container.encode(device.attributesTopic, forKey: .attributesTopic)
        try container.encode(
            Machine(identifiers: [device.objectID], name: "\(device.user) \(device.device)"), forKey: .device)
        try container.encode(Origin(version: version), forKey: .origin)
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
