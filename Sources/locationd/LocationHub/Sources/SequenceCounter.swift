/// Numbers that rise strictly, also over restarts: they are taken from a block whose end is persisted before its first
/// number is used. A restart continues after the block, so numbers may be skipped but never repeat.
package struct SequenceCounter {
    /// Numbers in a block.
    package static let blockSize: Int64 = 65_536

    private(set) var last: Int64
    private(set) var reserved: Int64

    /// - Parameter start: numbers begin after it; the first block after it is already persisted. A start that leaves no
    ///   room for numbers, as only a corrupt file holds, is set back to half the range.
    init(startingAt start: Int64) {
        last = min(start, .max / 2)
        reserved = last + Self.blockSize
    }

    /// The next number, and the end of a new block if one has to be persisted.
    ///
    /// A new block is requested when half of the old one is used, so that the disk has time.
    mutating func next(skipping count: Int = 0) -> (number: Int64, reserve: Int64?) {
        last += 1 + Int64(count)
        guard last + Self.blockSize / 2 >= reserved else { return (last, nil) }
        reserved = last + Self.blockSize
        return (last, reserved)
    }
}
