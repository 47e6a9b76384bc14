import FoundationEssentials
package import LocationModel

/// Turns what a watch is told into the lines of a recording. It does no I/O: whoever records writes the bytes.
package struct RecordingWriter: Sendable {
    private let encoder: JSONEncoder

    package init() {
        encoder = JSONEncoder()
        // The same order in every run, so that recordings can be compared as text.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    }

    /// The first line, with its line feed.
    package func header(created: UTCTime) -> [UInt8] {
        let (format, version) = (RecordingHeader.format, RecordingHeader.currentVersion)
        return Array(#"{"format":"\#(format)","version":\#(version),"created":"\#(created)"}"#.utf8) + [0x0A]
    }

    /// A further line, with its line feed.
    /// - Throws: ``RecordingError/unwritable(_:)`` if a number is not finite.
    package func line(for entry: RecordingEntry) throws(RecordingError) -> [UInt8] {
        do {
            return Array(try encoder.encode(entry)) + [0x0A]
        } catch {
            throw .unwritable(describe(error))
        }
    }
}
