package import LocationModel

/// A recording's first line: what the file is.
package struct RecordingHeader: Sendable, Hashable {
    /// The version of the format; a change that older programs would misread makes a new one.
    package var version: Int
    /// When the recording began, by the recording machine's clock; `nil` if it does not say.
    package var created: UTCTime?

    /// What every recording's header names.
    package static let format = "locationd-recording"
    /// The version that is written, and the latest that is read.
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
        // Not worth refusing a recording for, and a later version may write it otherwise.
        created = try? container.decodeIfPresent(UTCTime.self, forKey: .created)
    }
}
