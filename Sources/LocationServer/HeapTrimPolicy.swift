/// Notices that most of a crowd have left, when it is worth giving back to the system what they took: the C library keeps
/// freed memory for the process until it is asked. Pure counting.
struct CrowdLevel {
    /// Fewer connections take less than a mebibyte or two, which the next ones may have.
    static let crowd = 256
    private var most = 0

    /// The number of connections has changed.
    /// - Returns: true once they are a quarter of the most there were, or fewer; those left count as the most then.
    mutating func hasFallen(to count: Int) -> Bool {
        most = max(most, count)
        guard most >= Self.crowd, count <= most / 4 else { return false }
        most = count
        return true
    }
}
