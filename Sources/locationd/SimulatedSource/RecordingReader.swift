import FoundationEssentials
@_spi(Programs) import SystemSupport

/// Reads a recording from a file, one entry at a time; only one block of the file is in memory.
///
/// It is meant for files on disk and blocks as long as the disk takes.
package struct RecordingReader: ~Copyable {
    /// The file's header.
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
        // The file may be a header alone, even without its line feed.
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
    /// After ``RecordingError/malformed(line:_:)`` the caller may continue: the next call reads the line behind.
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

/// Parses a recording from bytes into entries; it does no I/O.
///
/// A last line that was cut off, as by a power failure while recording, is no error: see ``isTruncated``.
package struct RecordingParser: Sendable {
    /// The file's header, once its first line is complete.
    package private(set) var header: RecordingHeader?
    /// True if ``finish()`` has found and ignored a last line that is cut off.
    package private(set) var isTruncated = false

    /// The longest line, in bytes without its line feed.
    static let lineLimit = 256 * 1024

    private var splitter = LineSplitter(limit: lineLimit, overlong: .stop)
    /// The complete lines that are not yet parsed, each with its number.
    private var lines: ArraySlice<(number: Int, bytes: [UInt8])> = []
    /// The number of the line that was parsed last.
    private var number = 0
    /// The number of the line after ``lines`` that is too long.
    private var overlongLine: Int?

    package init() {}

    /// Adds bytes, which may end anywhere within a line.
    package mutating func append(_ bytes: some Sequence<UInt8>) {
        let first = splitter.number + 1
        var complete: [[UInt8]] = []
        var isOverlong = false
        Array(bytes).withUnsafeBytes { bytes in
            splitter.split(bytes) {
                complete.append($0)
            } overlong: {
                isOverlong = true
            }
        }
        for (number, line) in zip(first..., complete) { lines.append((number, line)) }
        if isOverlong { overlongLine = splitter.number }
    }

    /// The next whole line, or `nil` until there are more bytes.
    private mutating func nextLine() throws(RecordingError) -> [UInt8]? {
        if let line = lines.popFirst() {
            number = line.number
            return line.bytes
        }
        if let overlongLine { throw .lineTooLong(line: overlongLine) }
        return nil
    }

    /// The next entry, or `nil` until there are more bytes. Empty lines are ignored.
    ///
    /// After ``RecordingError/malformed(line:_:)`` the caller may continue: the next call reads the line behind.
    package mutating func next() throws(RecordingError) -> RecordingEntry? {
        guard try readHeader() else { return nil }
        while let line = try nextLine() {
            guard !line.isBlank else { continue }
            return try entry(line)
        }
        return nil
    }

    /// Ends the input; to be called when ``next()`` has returned `nil` and no more bytes come.
    /// - Returns: the entry of a last line that is complete except for its line feed.
    package mutating func finish() throws(RecordingError) -> RecordingEntry? {
        guard let line = splitter.rest(), !line.isBlank else {
            guard header != nil else { throw .notARecording("it is empty") }
            return nil
        }
        number = splitter.number
        guard header != nil else {
            try parse(header: line)
            return nil
        }
        do {
            return try entry(line)
        } catch {
            isTruncated = true
            return nil
        }
    }

    /// Reads the first line unless it has been read.
    /// - Returns: false until there are enough bytes.
    mutating func readHeader() throws(RecordingError) -> Bool {
        guard header == nil else { return true }
        let line: [UInt8]
        do {
            guard let next = try nextLine() else { return false }
            line = next
        } catch {
            throw .notARecording("its first line has no end")
        }
        try parse(header: line)
        return true
    }

    private mutating func parse(header line: [UInt8]) throws(RecordingError) {
        let found: RecordingHeader
        do {
            found = try JSONDecoder().decode(RecordingHeader.self, from: Data(line))
        } catch {
            throw .notARecording("its first line is not a header: \(describe(error))")
        }
        guard found.version <= RecordingHeader.currentVersion else { throw .newerVersion(found.version) }
        guard found.version >= 1 else { throw .notARecording("there is no version \(found.version)") }
        header = found
    }

    private func entry(_ line: [UInt8]) throws(RecordingError) -> RecordingEntry {
        do {
            return try JSONDecoder().decode(RecordingEntry.self, from: Data(line))
        } catch {
            throw .malformed(line: number, describe(error))
        }
    }
}

extension [UInt8] {
    /// True if there is nothing but spaces, tabs and carriage returns.
    fileprivate var isBlank: Bool { allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D } }
}
