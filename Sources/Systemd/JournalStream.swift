import Glibc

/// Whether what a service writes goes to the journal.
package enum JournalStream {
    /// - Parameters:
    ///   - descriptor: an output of the process.
    ///   - announced: what the environment has as `JOURNAL_STREAM`: device and inode of the connection to the journal that
    ///     the process was started with. Programs started from there inherit it, whatever their outputs are.
    /// - Returns: true if the output is that very connection.
    package static func takes(_ descriptor: Int32, announced: String?) -> Bool {
        guard let parts = announced?.split(separator: ":", omittingEmptySubsequences: false), parts.count == 2,
            let device = UInt64(parts[0]), let inode = UInt64(parts[1])
        else { return false }
        var status = stat()
        return fstat(descriptor, &status) == 0 && UInt64(status.st_dev) == device && UInt64(status.st_ino) == inode
    }
}
