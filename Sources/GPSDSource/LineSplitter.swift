import Glibc

/// Cuts a byte stream into lines. A line that grows beyond the limit is dropped up to its newline and told of, so that
/// the stream goes on with the line after it.
package struct LineSplitter {
    /// Real lines reach 6.6 kB (82 satellites); libgps' own reader stops for good at 20 480.
    static let limit = 131_072

    private var pending: [UInt8] = []
    private var isSkipping = false

    package init() {}

    /// Hands out each line that is complete now, without newline and carriage return, in order. Empty ones are left out.
    ///
    /// - Parameter overlong: called where a line passes the limit, so before the lines after it.
    package mutating func take(
        _ bytes: UnsafeRawBufferPointer, line: ([UInt8]) -> Void, overlong: () -> Void = {}
    ) {
        var rest = bytes
        while let start = rest.baseAddress, let newline = memchr(start, 0x0A, rest.count) {
            let length = UnsafeRawPointer(newline) - start
            append(.init(rebasing: rest[..<length]), overlong)
            if !isSkipping {
                if pending.last == 0x0D { pending.removeLast() }
                if !pending.isEmpty { line(pending) }
            }
            pending.removeAll(keepingCapacity: pending.capacity <= 16_384)
            isSkipping = false
            rest = .init(rebasing: rest[(length + 1)...])
        }
        append(rest, overlong)
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer, _ overlong: () -> Void) {
        guard !isSkipping else { return }
        pending.append(contentsOf: bytes)
        if pending.count > Self.limit {
            pending = []
            isSkipping = true
            overlong()
        }
    }
}
