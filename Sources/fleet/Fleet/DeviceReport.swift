import FoundationEssentials

/// What a message of some device of a broker says. Whoever may publish there has written it: everything is checked.
///
/// Names and units of the members are those of OwnTracks, and what is not known is absent.
/// There is a property for each of them.
package struct DeviceReport: Sendable, Equatable, Codable {
    package enum Kind: String, Sendable, Codable {
        case location
        /// A region was entered or left.
        case transition
        /// The device's connection to the broker is broken.
        case lwt
        /// The name of the person who has the device.
        case card
    }

    package let kind: Kind
    /// `USER/DEVICE`, as the topic has it.
    package let device: String
    /// Whether the broker had kept it, so that it is no news.
    package let isRetained: Bool
    /// Degrees; in a location and a transition.
    package var lat: Double?
    package var lon: Double?
    /// The time of the fix, or in a last will that of connecting, in seconds since 1970.
    package var tst: Int64?
    /// Metres.
    package var acc: Double?
    package var alt: Double?
    /// km/h.
    package var vel: Double?
    /// Degrees.
    package var cog: Double?
    /// Percent.
    package var batt: Double?
    package var tid: String?
    package var simulated: Bool?
    /// `enter` or `leave`, and the name of the region.
    package var event: String?
    package var desc: String?
    /// A card's.
    package var name: String?

    /// Bytes of a message, and of a topic, at most.
    package static let (payloadLimit, topicLimit) = (65_536, 256)
    /// Unicode scalars of a text at most, and so 256 bytes; what is beyond is cut off. One character may have any
    /// number of them.
    static let textLimit = 64

    /// - Returns: `nil` for a message of another kind, and for one that says what cannot be true.
    package init?(topic: String, payload: [UInt8], isRetained: Bool) {
        guard payload.count <= Self.payloadLimit, let device = Self.device(of: topic),
            let form = try? JSONDecoder().decode(Form.self, from: Data(payload)), let kind = Kind(rawValue: form.type)
        else { return nil }
        (self.kind, self.device, self.isRetained) = (kind, device, isRetained)
        switch kind {
        case .location, .transition:
            guard let lat = form.number("lat", in: -90...90), let lon = form.number("lon", in: -180...180),
                let tst = form.time
            else { return nil }
            (self.lat, self.lon, self.tst) = (lat, lon, tst)
            acc = form.number("acc", in: 0...100_000_000)
            alt = form.number("alt", in: -100_000...100_000_000)
            vel = form.number("vel", in: 0...100_000)
            cog = form.number("cog", in: 0...360)
            batt = form.number("batt", in: 0...100)
            tid = form.text("tid")
            simulated = form.isSimulated ? true : nil
            if kind == .transition {
                guard let event = form.text("event"), ["enter", "leave"].contains(event) else { return nil }
                (self.event, desc) = (event, form.text("desc"))
            }
        case .lwt:
            // The time of connecting is of no use here, and some leave it out.
            tst = form.time
        case .card: name = form.text("name")
        }
    }

    /// The topic without OwnTracks' first level and without the level of the message's kind.
    private static func device(of topic: String) -> String? {
        guard (1...topicLimit).contains(topic.utf8.count) else { return nil }
        var levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        if levels.count > 1, levels.first == "owntracks" { levels.removeFirst() }
        if levels.count > 2, ["event", "info"].contains(levels.last) { levels.removeLast() }
        return levels.joined(separator: "/")
    }

    /// An object with any members.
    private struct Form: Decodable {
        private let container: KeyedDecodingContainer<Name>
        let type: String

        private struct Name: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }

            init(_ name: String) { stringValue = name }
            init?(stringValue: String) { self.init(stringValue) }
            init?(intValue: Int) { nil }
        }

        init(from decoder: any Decoder) throws {
            container = try decoder.container(keyedBy: Name.self)
            type = try container.decode(String.self, forKey: Name("_type"))
        }

        /// `nil` for a member that is absent, of another type, or out of the range.
        func number(_ name: String, in range: ClosedRange<Double>) -> Double? {
            (try? container.decode(Double.self, forKey: Name(name))).flatMap { range.contains($0) ? $0 : nil }
        }

        func text(_ name: String) -> String? {
            (try? container.decode(String.self, forKey: Name(name))).map {
                String(String.UnicodeScalarView($0.unicodeScalars.prefix(textLimit)))
            }
        }

        /// From 1970 to the year 2100.
        var time: Int64? { number("tst", in: 1...4_102_444_800).map { Int64($0) } }

        var isSimulated: Bool { (try? container.decode(Bool.self, forKey: Name("simulated"))) == true }
    }
}

/// One line of `locationd-fleet --list-devices`.
package struct DeviceListLine: Sendable, Equatable, Codable {
    package var report: DeviceReport?
    /// Why there is no connection; empty if there is one.
    package var state: String?
    /// How many messages were ignored so far, because they are of another kind or cannot be true.
    package var ignored: Int?
    /// How many messages were dropped so far, because they came faster than these lines are read.
    package var dropped: Int?

    package init(report: DeviceReport? = nil, state: String? = nil, ignored: Int? = nil, dropped: Int? = nil) {
        (self.report, self.state, self.ignored, self.dropped) = (report, state, ignored, dropped)
    }
}

/// A filter of topics.
package enum TopicFilter {
    package static let accepted = "a filter of topics such as owntracks/+/+ or owntracks/#"

    /// Whether wildcards stand where they may, and the text is no longer than ``DeviceReport/topicLimit``.
    package static func isValid(_ text: String) -> Bool {
        let levels = text.split(separator: "/", omittingEmptySubsequences: false)
        guard (1...DeviceReport.topicLimit).contains(text.utf8.count), !text.utf8.contains(0) else { return false }
        return levels.enumerated().allSatisfy { index, level in
            level == "+" || level == "#" && index == levels.count - 1 || !level.contains("+") && !level.contains("#")
        }
    }
}
