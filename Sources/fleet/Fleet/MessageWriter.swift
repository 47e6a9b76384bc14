import FoundationEssentials
@_spi(Programs) package import LocationModel

/// Which forms of messages are published.
package struct FleetForms: Sendable, Equatable {
    /// OwnTracks' JSON, with transitions and the last will.
    package var ownTracks = true
    /// Locations as the daemon's interface writes them.
    package var plain = false
    /// Home Assistant's discovery and attributes; the value is the topic under which it looks for devices.
    package var homeAssistantPrefix: String?
    /// Whether destinations by HTTP are sent OwnTracks' JSON, which other forms are made of.
    package var isForDestinations = false

    package init() {}

    /// Who is sent OwnTracks' JSON.
    var audience: FleetMessage.Audience {
        (ownTracks ? FleetMessage.Audience.broker : []).union(isForDestinations ? .destinations : [])
    }

    /// Whether anything is published to a broker.
    package var isEmpty: Bool { !ownTracks && !plain && homeAssistantPrefix == nil }
}

/// Writes the messages of one device.
package struct MessageWriter: Sendable {
    package let device: FleetDevice
    private let forms: FleetForms
    /// The random number of the outbox.
    private let origin: UInt32

    package init(_ device: FleetDevice, _ forms: FleetForms, origin: UInt32) {
        (self.device, self.forms, self.origin) = (device, forms, origin)
    }

    /// The messages of one location, none if a number of it is not finite.
    package func messages(
        of location: Location, age: Double, now: UTCTime, trigger: OwnTracksLocation.Trigger
    ) -> [FleetMessage] {
        var messages: [FleetMessage?] = []
        if !forms.audience.isEmpty {
            messages.append(report(of: location, age: age, now: now, trigger: trigger, to: forms.audience))
        }
        if forms.plain { messages.append(message(device.plainTopic, .location, isRetained: true, location)) }
        if forms.homeAssistantPrefix != nil {
            let form = HomeAssistantTracker.Attributes(location, age: age, now: now)
            messages.append(message(device.attributesTopic, .state, isRetained: true, form))
        }
        return messages.compactMap(\.self)
    }

    /// OwnTracks' message of a location; `nil` if a number of it is not finite.
    package func report(
        of location: Location, age: Double, now: UTCTime, trigger: OwnTracksLocation.Trigger,
        to audience: FleetMessage.Audience
    ) -> FleetMessage? {
        let form = OwnTracksLocation(
            location, age: age, now: now, identifier: identifier(of: location, age: age, now: now),
            trackerID: device.trackerID, trigger: trigger)
        return message(device.locationTopic, .location, isRetained: true, form, to: audience)
    }

    /// The identifier of a location's message.
    package func identifier(of location: Location, age: Double, now: UTCTime) -> MessageIdentifier {
        MessageIdentifier(
            origin: origin, time: location.unixTime(age: age, now: now), sequence: location.sequence)
    }

    /// The message that a region was entered or left; `nil` where transitions are not published.
    package func transition(
        _ event: OwnTracksTransition.Event, region: String, at location: Location, age: Double, now: UTCTime,
        regionTime: Int64
    ) -> FleetMessage? {
        guard !forms.audience.isEmpty else { return nil }
        let form = OwnTracksTransition(
            event, region: region, at: location, age: age, now: now, regionTime: regionTime,
            identifier: identifier(of: location, age: age, now: now), trackerID: device.trackerID)
        // A retained one would look like a new one to whoever subscribes later.
        return message(device.eventTopic, .event, isRetained: false, form, to: forms.audience)
    }

    /// What has to be at the broker before the first location: a broker may have lost it.
    /// - Parameter version: of this program.
    package func announcements(version: String) -> [FleetMessage] {
        guard let prefix = forms.homeAssistantPrefix else { return [] }
        let tracker = HomeAssistantTracker(device, version: version)
        return [message(tracker.topic(under: prefix), .state, isRetained: true, tracker)].compactMap(\.self)
    }

    /// The answer to ``RemoteCommand/status``.
    ///
    /// - Parameters:
    ///   - waiting: messages that no broker has yet.
    ///   - reason: why there is no location; `nil` if there is one.
    ///   - audience: who has asked.
    package func status(
        version: String, waiting: Int, reason: String?, now: UTCTime, to audience: FleetMessage.Audience
    ) -> FleetMessage? {
        message(
            device.statusTopic, .state, isRetained: false,
            ProgramStatus(time: now.seconds, version: version, waiting: waiting, reason: reason), to: audience)
    }

    /// What the broker publishes when the connection breaks. It is not retained: it would replace the last location.
    ///
    /// - Parameter now: the wall clock at the time of connecting.
    package func will(now: UTCTime) -> FleetMessage? {
        guard forms.ownTracks else { return nil }
        return message(device.locationTopic, .event, isRetained: false, OwnTracksWill(now))
    }

    private func message(
        _ topic: String, _ kind: FleetMessage.Kind, isRetained: Bool, _ form: some Encodable,
        to audience: FleetMessage.Audience = .broker
    ) -> FleetMessage? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Only a number that is not finite cannot be encoded.
        guard let payload = try? encoder.encode(form) else { return nil }
        return FleetMessage(
            topic: topic, kind: kind, isRetained: isRetained, payload: Array(payload), audience: audience)
    }
}

/// OwnTracks' last will: the connection that began at a time is broken.
private struct OwnTracksWill: Encodable {
    private let time: Int64

    init(_ time: UTCTime) { self.time = time.seconds }

    private enum CodingKeys: String, CodingKey { case type = "_type", time = "tst" }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode("lwt", forKey: .type)
        try container.encode(time, forKey: .time)
    }
}
