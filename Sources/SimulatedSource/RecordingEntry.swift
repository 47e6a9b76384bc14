package import LocationModel

/// One line of a recording: what a watch was told, and when.
///
/// In JSON: `{"at":12.5,"location":{…}}`, where the second key and its value are those of a reply to `Watch`.
package struct RecordingEntry: Sendable, Hashable {
    /// What a line holds.
    package enum Content: Sendable, Hashable {
        /// A fix.
        case location(Location)
        /// The satellites in view.
        case satellites([Satellite])
        /// A compass reading.
        case heading(Heading)
        /// What the recorded daemon was doing; it tells a reader why there are gaps and is not played.
        case status(ServiceStatus)
    }

    /// Seconds since the recording began, 0...1,000,000,000.
    package var at: Double
    /// What was told.
    package var content: Content

    /// An entry by its parts; `at` is brought into its range.
    package init(at: Double, _ content: Content) {
        self.at = at.isNaN ? 0 : max(Self.range.lowerBound, min(Self.range.upperBound, at))
        self.content = content
    }

    /// Some thirty years: more is a mistake, and would not fit the clocks.
    private static let range = 0.0...1e9
}

extension RecordingEntry: Codable {
    fileprivate enum CodingKeys: String, CodingKey { case at, location, satellites, heading, status }

    /// Unknown keys are passed over; exactly one content is required.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let at = try container.decode(Double.self, forKey: .at)
        guard Self.range.contains(at) else {
            throw DecodingError.dataCorruptedError(
                forKey: .at, in: container, debugDescription: "seconds are within 0...1000000000")
        }
        let contents: [Content?] = [
            try container.decodeIfPresent(Location.self, forKey: .location).map(Content.location),
            try container.decodeIfPresent([Satellite].self, forKey: .satellites).map(Content.satellites),
            try container.decodeIfPresent(Heading.self, forKey: .heading).map(Content.heading),
            try container.decodeIfPresent(ServiceStatus.self, forKey: .status).map(Content.status),
        ]
        let present = contents.compactMap(\.self)
        guard let content = present.first, present.count == 1 else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "a line has one of location, satellites, heading and status"))
        }
        if let (key, field) = content.firstImpossible {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: container, debugDescription: "the \(field) cannot be")
        }
        self.at = at
        self.content = content
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        // Microseconds are enough, and what a subtraction leaves behind them is noise.
        try container.encode((at * 1e6).rounded() / 1e6, forKey: .at)
        switch content {
        case .location(let location): try container.encode(location, forKey: .location)
        case .satellites(let satellites): try container.encode(satellites, forKey: .satellites)
        case .heading(let heading): try container.encode(heading, forKey: .heading)
        case .status(let status): try container.encode(status, forKey: .status)
        }
    }
}

extension RecordingEntry.Content {
    /// What of it has a number that cannot be, as somebody may have written who was no receiver.
    fileprivate var firstImpossible: (key: RecordingEntry.CodingKeys, field: String)? {
        switch self {
        case .location(let location): location.firstImpossibleField.map { (.location, $0) }
        case .satellites(let satellites):
            satellites.lazy.compactMap(\.firstImpossibleField).first.map { (.satellites, $0) }
        case .heading(let heading): heading.firstImpossibleField.map { (.heading, $0) }
        case .status: nil
        }
    }
}
