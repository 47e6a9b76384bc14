/// Decides when to call malloc_trim(3), because the C library keeps freed memory for the process: after the connection
/// count falls to a quarter of its peak.
struct HeapTrimPolicy {
    /// Fewer connections take less than a mebibyte or two, which the next ones may have.
    static let threshold = 256
    private var peak = 0

    /// The number of connections has changed.
    /// - Returns: true once it is a quarter of the peak, or less; the peak is counted anew then.
    mutating func isWorthwhile(at count: Int) -> Bool {
        peak = max(peak, count)
        guard peak >= Self.threshold, count <= peak / 4 else { return false }
        peak = count
        return true
    }
}
