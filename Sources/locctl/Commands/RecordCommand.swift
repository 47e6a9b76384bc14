import ArgumentParser
import Glibc
import LocationInterface
import LocationKit
import SimulatedSource
import SystemClock
import SystemSupport
import Varlink

/// `locctl record`: writes a recording.
struct RecordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Records locations, satellites and headings into a file, until Ctrl-C.",
        discussion: "`locctl replay FILE` and `locationd --replay FILE` play it back. FILE `-` is standard output.")

    @OptionGroup var options: ConnectionOptions

    @Argument(help: "The file; it must not exist yet.", completion: .file())
    var file: String

    @Option(help: "End after so many locations.")
    var count: Int?

    @Flag(help: "Fixes of every receiver, not of the followed one alone.")
    var everySource = false

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count is 1 or more") }
    }

    func run() throws {
        try Interruption.withWaker { try follow(until: $0) }
    }

    private func follow(until waker: Waker) throws {
        let connection = try options.connect(waker: waker)
        var recording = try RecordingOutput(at: file)
        var request = WatchRequest()
        request.satellites = true
        request.heading = true
        request.everySource = everySource
        request.maximumUpdates = count
        request.purpose = "locctl record"
        try connection.send(LocationInterface.Method.watch, request, more: true)
        let start = MachineClock.now
        var locations = 0
        while let reply = try connection.nextReply() {
            let update = try reply.answer(as: WatchReply.self)
            try update.status?.requirePermission()
            try recording.create()
            let at = MachineClock.now.seconds(since: start)
            for content in contents(of: update) { try recording.add(RecordingEntry(at: at, content)) }
            if update.location != nil { locations += 1 }
            if !reply.continues, update.location != nil { break }
            if !reply.continues { try update.failAtEnd() }
        }
        Output.write("\(locations) locations recorded", to: STDERR_FILENO)
    }

    /// A line of a recording holds one thing; the first reply of a watch may hold two.
    private func contents(of update: WatchReply) -> [RecordingEntry.Content] {
        [
            update.status.map { .status($0) }, update.location.map { .location($0.value) },
            update.heading.map { .heading($0.value) }, update.satellites.map { .satellites($0) },
        ].compactMap { $0 }
    }
}

/// The destination of a recording: a file, which is created with the first entry, or standard output.
struct RecordingOutput {
    private let path: String
    private let writer = RecordingWriter()
    /// `nil` until it is created.
    private var descriptor: Int32?

    /// - Throws: why the file could not be created, as far as that can be checked in advance.
    init(at path: String) throws {
        self.path = path
        guard path != "-" else { return }
        var entry = stat()
        if lstat(path, &entry) == 0 { throw failure("create", EEXIST) }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        guard access(folder, W_OK | X_OK) == 0 else { throw failure("create", errno) }
    }

    /// Creates the file and writes the header, unless that is done.
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
