/// Decides when to call malloc_trim(3), because the C library keeps freed memory for the process: after the connection
/// count falls to a quarter of its peak.
struct HeapTrimPolicy {
    /// Fewer connections take no more than a mebibyte or two, which later connections can use again.
    static let threshold = 256
    private var peak = 0

    /// Records the present number of connections.
    /// - Returns: true if it is a quarter of the peak, or less; the peak then starts from the present number.
    mutating func isWorthwhile(at count: Int) -> Bool {
        peak = max(peak, count)
        guard peak >= Self.threshold, count <= peak / 4 else { return false }
        peak = count
        return true
    }
}
