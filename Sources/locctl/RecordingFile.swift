import Glibc
import SimulatedSource
import SystemClock

/// Where a recording goes: a file, which is not there before there is something to record, or standard output.
struct RecordingFile {
    private let path: String
    private let writer = RecordingWriter()
    /// `nil` until it is created.
    private var descriptor: Int32?

    /// - Throws: what is known already to keep it from being created.
    init(at path: String) throws {
        self.path = path
        guard path != "-" else { return }
        var entry = stat()
        if lstat(path, &entry) == 0 { throw failure("create", EEXIST) }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        guard access(folder, W_OK | X_OK) == 0 else { throw failure("create", errno) }
    }

    /// Begins it, unless that is done.
    mutating func create() throws {
        guard descriptor == nil else { return }
        let new = path == "-" ? STDOUT_FILENO : open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard new >= 0 else { throw failure("create", errno) }
        descriptor = new
        try write(writer.header(created: MachineClock.utc))
    }

    func add(_ entry: RecordingEntry) throws {
        try write(writer.line(for: entry))
    }

    private func write(_ bytes: [UInt8]) throws {
        guard let descriptor else { return }
        // Standard output may be a terminal.
        let isFile = descriptor != STDOUT_FILENO
        let shown = isFile ? bytes : Array(Output.escapingJSON(String(decoding: bytes, as: UTF8.self)).utf8)
        let code = Output.writeAll(shown, to: descriptor)
        guard code == 0 else { throw failure("write", code) }
    }

    private func failure(_ verb: String, _ code: Int32) -> Failure {
        let advice = code == EEXIST ? "; choose another name or remove it" : ""
        return Failure(
            code: ExitCodes.failed, message: "cannot \(verb) \(path): \(String(cString: strerror(code)))\(advice)")
    }
}
