import Glibc

/// A file of metrics for node_exporter's textfile collector: replaced atomically. Its group may read it, which is the
/// directory's group if that has the setgid bit; other users may not, because it shows when the receivers run.
///
/// It is not synced, which would wear flash out: after a power failure the program writes it anew.
struct MetricsFile: Sendable, Equatable {
    let path: String

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// - Throws: what failed, in words; the old content is then still there.
    func replace(with text: String) throws(Failure) {
        // The collector ignores this name.
        let temporary = path + ".new"
        unlink(temporary)
        // O_EXCL, so that a link that appears under the name is not followed.
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else { throw failure("cannot create", temporary) }
        var problem: Failure?
        // Independent of the umask.
        if fchmod(descriptor, 0o640) != 0 { problem = failure("cannot set the permissions of", temporary) }
        if problem == nil, !write(Array(text.utf8), to: descriptor) { problem = failure("cannot write", temporary) }
        close(descriptor)
        if problem == nil, rename(temporary, path) != 0 { problem = failure("cannot replace", path) }
        guard let problem else { return }
        unlink(temporary)
        throw problem
    }

    /// Removes the file, so that no stale figures remain.
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
