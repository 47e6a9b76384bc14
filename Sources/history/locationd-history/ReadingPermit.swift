@_spi(Programs) import LocationModel
@_spi(Programs) import SystemSupport

/// Whether the next portion of a long answer may be sent: what the daemon said last of its reader was judged, and the
/// reader may know the position.
///
/// Ownership: one task judges, another sends.
struct ReadingPermit: Sendable {
    /// `nil` for a reader whom nobody judges, such as the owner of the file.
    private let watch: ReaderWatch?
    /// The newest version of ``ReaderWatch/standing`` with which the reader may know the position.
    private let allowed = Latest(0)

    init(_ watch: ReaderWatch?) { self.watch = watch }

    /// The reader may know the position with this version of the watch's state.
    func allow(_ version: Int) { allowed.change { $0 = version } }

    /// Returns as soon as the reader may know the position, by the newest that the daemon has said.
    ///
    /// - Throws: if the task is cancelled, as it is when the reader may not.
    func wait() async throws(CancellationError) {
        guard let watch else { return }
        while true {
            guard !Task.isCancelled else { throw CancellationError() }
            let (version, seen) = allowed.current
            if watch.standing.current.version == version { return }
            _ = await allowed.change(after: seen)
        }
    }
}
