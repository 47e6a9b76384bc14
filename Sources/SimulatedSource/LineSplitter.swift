/// Cuts a stream of bytes into lines and numbers them from 1. It never holds more than one line and one block.
struct LineSplitter: Sendable {
    /// The longest line, in bytes without its line feed.
    static let limit = 256 * 1024

    /// The number of the line that was returned last; 0 before the first.
    private(set) var number = 0
    private var buffer: [UInt8] = []
    private var start = 0
    /// Up to here there is no line feed, so that a long line is not searched again with every block.
    private var searched = 0

    mutating func append(_ bytes: some Sequence<UInt8>) {
        buffer.removeFirst(start)
        searched -= start
        start = 0
        buffer.append(contentsOf: bytes)
    }

    /// The next whole line without its line feed, or `nil` until more bytes are there.
    mutating func next() throws(RecordingError) -> ArraySlice<UInt8>? {
        let end = buffer[searched...].firstIndex(of: 0x0A)
        guard (end ?? buffer.count) - start <= Self.limit else { throw .lineTooLong(line: number + 1) }
        guard let end else {
            searched = buffer.count
            return nil
        }
        defer { (start, searched, number) = (end + 1, end + 1, number + 1) }
        return buffer[start..<end]
    }

    /// What is left when no more bytes come: a last line without a line feed, or `nil`.
    mutating func rest() -> ArraySlice<UInt8>? {
        guard start < buffer.count else { return nil }
        defer { (start, searched, number) = (buffer.count, buffer.count, number + 1) }
        return buffer[start...]
    }
}
