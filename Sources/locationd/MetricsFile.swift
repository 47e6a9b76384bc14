import Glibc

/// A file of metrics for node_exporter's textfile collector: replaced as a whole or not at all. Its group may read
/// it, which is the directory's if that passes its group on; from demand and deliveries everybody would learn when the
/// receivers run.
///
/// It is not forced to the disk, which would wear flash out: whoever starts after a power failure writes it anew.
struct MetricsFile: Sendable, Equatable {
    let path: String

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// - Throws: what failed, in words; the old content is then still there.
    func replace(with text: String) throws(Failure) {
        // Not a name that the collector reads.
        let temporary = path + ".new"
        unlink(temporary)
        // O_EXCL: a link that appears under the name is not followed.
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else { throw failure("cannot create", temporary) }
        var problem: Failure?
        // Whatever the umask is.
        if fchmod(descriptor, 0o640) != 0 { problem = failure("cannot open to the group", temporary) }
        if problem == nil, !write(Array(text.utf8), to: descriptor) { problem = failure("cannot write", temporary) }
        close(descriptor)
        if problem == nil, rename(temporary, path) != 0 { problem = failure("cannot replace", path) }
        guard let problem else { return }
        unlink(temporary)
        throw problem
    }

    /// Leaves no figures that nobody renews.
    func remove() {
        unlink(path)
    }

    private func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private func failure(_ attempt: String, _ path: String) -> Failure {
        Failure(description: "\(attempt) \(path): \(String(cString: strerror(errno)))")
    }
}
