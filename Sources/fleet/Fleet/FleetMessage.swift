/// One message as it is published: nothing of it changes between the first attempt and the last.
package struct FleetMessage: Sendable, Equatable {
    /// What a message is, which decides what is deleted first where there is no room.
    package enum Kind: Int, Sendable {
        /// A position of many; every second old one may be deleted.
        case location = 0
        /// An event that happens once; it is deleted after all positions.
        case event = 1
        /// A state of which only the newest matters: a newer message of the topic replaces it.
        case state = 2
    }

    /// Who is sent it.
    package struct Audience: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        package static let broker = Audience(rawValue: 1)
        /// All servers that are reached by HTTP.
        package static let destinations = Audience(rawValue: 2)
    }

    package let topic: String
    package let kind: Kind
    /// Whether the broker gives the newest message of the topic to whoever subscribes later.
    package let isRetained: Bool
    package let payload: [UInt8]
    package let audience: Audience

    package init(topic: String, kind: Kind, isRetained: Bool, payload: [UInt8], audience: Audience = .broker) {
        (self.topic, self.kind, self.isRetained, self.payload) = (topic, kind, isRetained, payload)
        self.audience = audience
    }
}
