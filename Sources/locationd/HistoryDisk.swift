import Glibc

/// The system's calls by which the history grows; tests put a full or a recording disk in their place.
struct HistoryDisk: Sendable {
    /// As `write` does.
    var write: @Sendable (Int32, UnsafeRawBufferPointer) -> Int = { Glibc.write($0, $1.baseAddress, $1.count) }
    /// As `fsync` does.
    var force: @Sendable (Int32) -> Int32 = { fsync($0) }
}
