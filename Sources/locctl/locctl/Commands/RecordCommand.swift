import ArgumentParser
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import SimulatedSource
@_spi(Programs) import SystemSupport
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

    @Option(help: ArgumentHelp("End after so many locations.", valueName: "n"))
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
    private let writer = RecordingWriter()
    private var file: NewFile

    /// - Throws: why the file could not be created, as far as that can be checked in advance.
    init(at path: String) throws {
        file = try NewFile(at: path)
    }

    /// Creates the file and writes the header, unless that is done.
    mutating func create() throws {
        if try file.create() { try write(writer.header(created: MachineClock.utc)) }
    }

    func add(_ entry: RecordingEntry) throws {
        try write(writer.line(for: entry))
    }

    private func write(_ bytes: [UInt8]) throws {
        // A file is shown on a terminal, too, at some time.
        try file.write(Array(Output.escapingJSON(String(decoding: bytes, as: UTF8.self)).utf8))
    }
}
