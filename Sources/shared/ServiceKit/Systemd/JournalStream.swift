import Glibc

/// Whether an output of a service is connected to the journal.
package enum JournalStream {
    /// - Parameters:
    ///   - descriptor: an output of the process.
    ///   - announced: the value of `JOURNAL_STREAM`: device and inode of the connection to the journal with which
    ///     systemd started the process. Child processes inherit the variable, whatever their outputs are.
    /// - Returns: true if the output is that very connection.
    package static func isConnected(_ descriptor: Int32, announced: String?) -> Bool {
        guard let parts = announced?.split(separator: ":", omittingEmptySubsequences: false), parts.count == 2,
            let device = UInt64(parts[0]), let inode = UInt64(parts[1])
        else { return false }
        var status = stat()
        return fstat(descriptor, &status) == 0 && UInt64(status.st_dev) == device && UInt64(status.st_ino) == inode
    }
}
