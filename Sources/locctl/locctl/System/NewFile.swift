import Glibc

/// A file that a command writes, which must not exist before, or standard output.
struct NewFile {
    let path: String
    /// `nil` until it is created.
    private var descriptor: Int32?

    /// - Parameter path: `-` is standard output.
    /// - Throws: why the file could not be created, as far as that can be checked in advance.
    init(at path: String) throws {
        self.path = path
        guard path != "-" else { return }
        var entry = stat()
        if lstat(path, &entry) == 0 { throw failure("create", EEXIST) }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        guard access(folder, W_OK | X_OK) == 0 else { throw failure("create", errno) }
    }

    var isStandardOutput: Bool { path == "-" }

    /// Creates the file.
    /// - Returns: false if that was done before.
    mutating func create() throws -> Bool {
        guard descriptor == nil else { return false }
        let new = isStandardOutput ? STDOUT_FILENO : open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard new >= 0 else { throw failure("create", errno) }
        descriptor = new
        return true
    }

    /// Writes to the file once it is created.
    func write(_ bytes: [UInt8]) throws {
        guard let descriptor else { return }
        let code = Output.writeAll(bytes, to: descriptor)
        guard code == 0 else { throw failure("write", code) }
    }

    private func failure(_ verb: String, _ code: Int32) -> Failure {
        let advice = code == EEXIST ? "; choose another name or remove it" : ""
        return Failure(
            code: ExitCodes.failed, message: "cannot \(verb) \(path): \(String(cString: strerror(code)))\(advice)")
    }
}
