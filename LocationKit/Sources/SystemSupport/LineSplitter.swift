import Glibc

/// Splits a stream of bytes into lines, terminated by a line feed with or without a preceding carriage return. It never
/// buffers more than one line.
@_spi(Programs) public struct LineSplitter: Sendable {
    /// What to do about a line that exceeds the limit.
    @_spi(Programs) public enum OverlongPolicy: Sendable {
        /// Skips the line up to its line feed and continues with the line after it.
        case skip
        /// Ends the stream: everything that follows is dropped.
        case stop
    }

    private enum State {
        case reading
        /// Within a line that is too long.
        case skipping
        case stopped
    }

    /// The longest line, in bytes without its line feed.
    private let limit: Int
    private let policy: OverlongPolicy
    private let omitsEmptyLines: Bool
    private var pending: [UInt8] = []
    private var state = State.reading
    /// The number of the last line that was returned or found too long, counted from 1; 0 before the first.
    @_spi(Programs) public private(set) var number = 0

    /// - Parameters:
    ///   - limit: The most bytes of a line, including a carriage return but not the line feed.
    ///   - omitsEmptyLines: Whether empty lines are counted but not returned.
    @_spi(Programs) public init(limit: Int, overlong policy: OverlongPolicy, omitsEmptyLines: Bool = false) {
        self.limit = limit
        self.policy = policy
        self.omitsEmptyLines = omitsEmptyLines
    }

    /// Passes each complete line, without line feed and carriage return, to the closure in order.
    ///
    /// - Parameter overlong: called where a line exceeds the limit, before the lines after it.
    @_spi(Programs) public mutating func split(
        _ bytes: UnsafeRawBufferPointer, line: ([UInt8]) -> Void, overlong: () -> Void = {}
    ) {
        var rest = bytes
        while let start = rest.baseAddress, let newline = memchr(start, 0x0A, rest.count) {
            let length = UnsafeRawPointer(newline) - start
            append(.init(rebasing: rest[..<length]), overlong)
            switch state {
            case .reading:
                if pending.last == 0x0D { pending.removeLast() }
                number += 1
                if !omitsEmptyLines || !pending.isEmpty { line(pending) }
            case .skipping: state = .reading
            case .stopped: return
            }
            pending.removeAll(keepingCapacity: pending.capacity <= 16_384)
            rest = .init(rebasing: rest[(length + 1)...])
        }
        append(rest, overlong)
    }

    /// The last line if it has no line feed, once no more bytes come, or `nil`.
    @_spi(Programs) public mutating func rest() -> [UInt8]? {
        guard case .reading = state, !pending.isEmpty else { return nil }
        defer { pending = [] }
        number += 1
        return pending
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer, _ overlong: () -> Void) {
        guard case .reading = state else { return }
        pending.append(contentsOf: bytes)
        if pending.count > limit {
            pending = []
            number += 1
            state = policy == .skip ? .skipping : .stopped
            overlong()
        }
    }
}
