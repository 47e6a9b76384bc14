/// The names under which one device publishes, and the topics that follow from them.
package struct FleetDevice: Sendable, Equatable {
    /// The part of OwnTracks' topic that names who owns the device.
    package let user: String
    /// The part of OwnTracks' topic that names the device.
    package let device: String
    /// One or two characters by which maps mark the device.
    package let trackerID: String

    /// Which names there are, in words.
    package static let accepted =
        "a name of 1 to 64 letters, digits, dots, hyphens and underscores"

    /// - Parameter trackerID: `nil` for the last two characters of the device's name, as OwnTracks has it.
    /// - Returns: `nil` if a name is not ``isName(_:)``, or the tracker id not ``isTrackerID(_:)``.
    package init?(user: String, device: String, trackerID: String? = nil) {
        guard Self.isName(user), Self.isName(device) else { return nil }
        let trackerID = trackerID ?? String(device.suffix(2))
        guard Self.isTrackerID(trackerID) else { return nil }
        (self.user, self.device, self.trackerID) = (user, device, trackerID)
    }

    /// Whether a text can be a level of a topic, and a part of an identifier of Home Assistant, as it is.
    package static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.allSatisfy(isNameCharacter)
    }

    /// Whether a character can be a part of a name.
    package static func isNameCharacter(_ character: Character) -> Bool {
        character.asciiValue.map { isLetterOrDigit($0) || "._-".utf8.contains($0) } == true && character != "\r\n"
    }

    /// Whether a text is one or two printable characters of ASCII.
    package static func isTrackerID(_ text: String) -> Bool {
        (1...2).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }

    /// OwnTracks' locations, and its last will.
    package var locationTopic: String { "owntracks/\(user)/\(device)" }
    /// OwnTracks' transitions.
    package var eventTopic: String { locationTopic + "/event" }
    /// Commands for the device.
    package var commandTopic: String { locationTopic + "/cmd" }
    /// The answer to the command `status`.
    package var statusTopic: String { locationTopic + "/status" }
    /// Locations as the daemon's interface writes them.
    package var plainTopic: String { "locationd/\(user)/\(device)/location" }
    /// The attributes of Home Assistant's tracker.
    package var attributesTopic: String { "locationd/\(user)/\(device)/attributes" }
    /// The tracker's name among the objects of Home Assistant. A hyphen and a dot are letters of names here, and no
    /// letter of an object's name there.
    package var objectID: String {
        "locationd_" + String((user + "_" + device).map { $0 == "." || $0 == "-" ? "_" : $0 })
    }
}
