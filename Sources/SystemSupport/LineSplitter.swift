import Glibc

/// Cuts a stream of bytes into lines, which a line feed ends, with or without a carriage return before it. It never holds
/// more than one line.
package struct LineSplitter: Sendable {
    /// What becomes of a line that grows beyond the limit.
    package enum OverlongPolicy: Sendable {
        /// It is dropped up to its line feed, and the stream goes on with the line after it.
        case skip
        /// It ends the stream: whatever follows is dropped.
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
    /// The number of the line that was handed out or found too long last, counted from 1; 0 before the first.
    package private(set) var number = 0

    /// - Parameters:
    ///   - limit: Bytes that a line may have, a carriage return counted and its line feed not.
    ///   - omitsEmptyLines: Whether lines without a character are counted and not handed out.
    package init(limit: Int, overlong policy: OverlongPolicy, omitsEmptyLines: Bool = false) {
        self.limit = limit
        self.policy = policy
        self.omitsEmptyLines = omitsEmptyLines
    }

    /// Hands out each line that is complete now, without line feed and carriage return, in order.
    ///
    /// - Parameter overlong: called where a line passes the limit, so before the lines after it.
    package mutating func split(
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

    /// What is left when no more bytes come: a last line without a line feed, or `nil`.
    package mutating func rest() -> [UInt8]? {
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
