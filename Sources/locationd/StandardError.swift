import Glibc

/// Lines for whoever runs the daemon.
enum StandardError {
    /// Writes a line in one system call, so that lines of several threads do not mix. What cannot be written is lost:
    /// there is nowhere left to complain to.
    static func write(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}
