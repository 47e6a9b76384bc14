@_spi(Programs) package import LocationModel

/// One line of a recording: what a watch received, and when.
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
        /// The state of the recorded daemon; it explains gaps to a reader and is not played.
        case status(ServiceStatus)
    }

    /// Seconds since the recording began, 0...1,000,000,000.
    package var at: Double
    /// What the watch received.
    package var content: Content

    /// An entry by its members; `at` is clamped to its range.
    package init(at: Double, _ content: Content) {
        self.at = at.isNaN ? 0 : max(Self.range.lowerBound, min(Self.range.upperBound, at))
        self.content = content
    }

    /// Some thirty years; larger values are mistakes, and would overflow the clocks.
    private static let range = 0.0...1e9
}

extension RecordingEntry: Codable {
    fileprivate enum CodingKeys: String, CodingKey { case at, location, satellites, heading, status }

    /// Unknown keys are ignored; exactly one content is required.
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
                forKey: key, in: container, debugDescription: "the \(field) is impossible")
        }
        self.at = at
        self.content = content
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        // Microseconds suffice, and further digits are rounding noise of a subtraction.
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
    /// The content and the field with an impossible number, as in a file written by hand.
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

/// A recording's first line, which identifies the file.
package struct RecordingHeader: Sendable, Hashable {
    /// The version of the format; a change that older programs would misread increases it.
    package var version: Int
    /// When the recording began, by the recording machine's clock; `nil` if it does not say.
    package var created: UTCTime?

    /// The format's name in every header.
    package static let format = "locationd-recording"
    /// The version that is written, and the latest that can be read.
    package static let currentVersion = 1
}

extension RecordingHeader: Decodable {
    private enum CodingKeys: String, CodingKey { case format, version, created }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let format = try container.decode(String.self, forKey: .format)
        guard format == Self.format else {
            throw DecodingError.dataCorruptedError(
                forKey: .format, in: container, debugDescription: "this is not \(Self.format)")
        }
        version = try container.decode(Int.self, forKey: .version)
        // An unreadable time does not make the recording unusable, and a later version may format it differently.
        created = try? container.decodeIfPresent(UTCTime.self, forKey: .created)
    }
}

/// Why a recording cannot be read or written. The description says what to do; it does not name the file.
package enum RecordingError: Error, Hashable {
    /// The file cannot be opened or read.
    case unreadable(String)
    /// It does not begin with a recording's header.
    case notARecording(String)
    /// A later version of the format than this program reads.
    case newerVersion(Int)
    /// A line exceeds the longest possible; lines are counted from 1, the header.
    case lineTooLong(line: Int)
    /// A line is not valid.
    case malformed(line: Int, String)
    /// It has no location, satellites or heading.
    case nothingToPlay
    /// A value that JSON cannot hold.
    case unwritable(String)
}

extension RecordingError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unreadable(let reason):
            "it cannot be read (\(reason)): check its path and its permissions"
        case .notARecording(let reason):
            "it is not a recording (\(reason)): give a file that `locctl record` has written"
        case .newerVersion(let version):
            "it has version \(version) of the format and this program reads version \(RecordingHeader.currentVersion):"
                + " play it with a newer one"
        case .lineTooLong(let line):
            "line \(line) is longer than \(RecordingParser.lineLimit / 1024) KiB: remove it or record again"
        case .malformed(let line, let reason):
            "line \(line) is invalid (\(reason)): correct it or remove it"
        case .nothingToPlay:
            "it contains no location, satellites or heading: record again while there is a fix"
        case .unwritable(let reason):
            "it cannot be written (\(reason))"
        }
    }
}

/// A coding error in a few words, with the path to the value: `location.latitude is missing`.
func describe(_ error: any Error) -> String {
    func name(_ path: [any CodingKey]) -> String {
        path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }
    func sentence(_ context: DecodingError.Context) -> String {
        context.codingPath.isEmpty
            ? context.debugDescription : "\(name(context.codingPath)): \(context.debugDescription)"
    }
    return switch error {
    case DecodingError.keyNotFound(let key, let context): "\(name(context.codingPath + [key])) is missing"
    case DecodingError.typeMismatch(let type, let context): "\(name(context.codingPath)) is not of type \(type)"
    case DecodingError.valueNotFound(_, let context): "\(name(context.codingPath)) is null"
    case DecodingError.dataCorrupted(let context): sentence(context)
    case EncodingError.invalidValue(let value, let context): "\(name(context.codingPath)) is \(value)"
    default: "\(error)"
    }
}
