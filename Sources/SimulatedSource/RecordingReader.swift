/// Reads a recording from a file, an entry at a time; however long the file, only a block of it is in memory.
///
/// It is made to read from disk and blocks as long as the disk takes.
package struct RecordingReader: ~Copyable {
    /// What the file says it is.
    package let header: RecordingHeader
    private let file: RecordingFile
    private var parser: RecordingParser
    private var hasEnded: Bool

    /// Opens the file and reads its header.
    package init(path: String) throws(RecordingError) {
        let file = try RecordingFile(path: path)
        var parser = RecordingParser()
        var hasEnded = false
        while try !parser.readHeader(), !hasEnded {
            let bytes = try file.block()
            hasEnded = bytes.isEmpty
            parser.append(bytes)
        }
        // A header may be all there is, even without its line feed.
        if hasEnded { _ = try parser.finish() }
        guard let header = parser.header else { throw .notARecording("it is empty") }
        self.header = header
        self.file = file
        self.parser = parser
        self.hasEnded = hasEnded
    }

    /// True when the end has been reached and the last line was cut off.
    package var isTruncated: Bool { parser.isTruncated }

    /// The next entry, or `nil` at the end.
    ///
    /// After ``RecordingError/malformed(line:_:)`` one may go on: the next call reads the line behind.
    package mutating func next() throws(RecordingError) -> RecordingEntry? {
        while true {
            if let entry = try parser.next() { return entry }
            if hasEnded { return try parser.finish() }
            let bytes = try file.block()
            hasEnded = bytes.isEmpty
            parser.append(bytes)
        }
    }
}
