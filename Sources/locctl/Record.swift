import ArgumentParser
import Glibc
import LocationInterface
import LocationKit
import SimulatedSource
import SystemClock
import SystemSupport
import Varlink

/// A recording for later.
struct Record: ParsableCommand {
    static let configuration = CommandConfiguration(
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
        try Interruption.heeded { try follow(until: $0) }
    }

    private func follow(until waker: Waker) throws {
        let connection = try options.connect(waker: waker)
        var recording = try RecordingFile(at: file)
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

    /// A recording holds one thing per line; the first reply of a watch may hold two.
    private func contents(of update: WatchReply) -> [RecordingEntry.Content] {
        [
            update.status.map { .status($0) }, update.location.map { .location($0.value) },
            update.heading.map { .heading($0.value) }, update.satellites.map { .satellites($0) },
        ].compactMap { $0 }
    }
}
