import ArgumentParser
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import Varlink

/// `locctl track pause`: ends the recording of the track until `resume`.
struct PauseTrackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Pauses the recording by locationd-history, also over restarts, until `locctl track resume`.",
        discussion: "For administrators; users-may-pause in history.toml lets users decide.")

    @ParentCommand var track: TrackCommand
    @OptionGroup var options: HistoryOptions

    func run() throws {
        try options.joined(with: track.options).change(HistoryInterface.Method.pause, "nothing is recorded from now on")
    }
}

/// `locctl track resume`: records again.
struct ResumeTrackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Resumes the recording of the track.")

    @ParentCommand var track: TrackCommand
    @OptionGroup var options: HistoryOptions

    func run() throws {
        try options.joined(with: track.options).change(HistoryInterface.Method.resume, "the track is recorded again")
    }
}

/// `locctl track status`: what is recorded.
struct TrackStateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Shows what locationd-history records, and whether it is paused.")

    @ParentCommand var track: TrackCommand
    @OptionGroup var options: HistoryOptions
    @OptionGroup var file: TrackFileOption

    func run() throws {
        let options = options.joined(with: track.options)
        try options.connect(file: file.path ?? track.file.path) { connection in
            let reply = try connection.call(HistoryInterface.Method.getState, as: HistoryStateReply.self)
            guard !options.json else { return try Output.writeJSON(reply) }
            for line in Self.lines(reply.state) { Output.write(line) }
        }
    }

    private static func lines(_ state: HistoryState) -> [String] {
        let paused = state.pausedSince.map { "paused since \(Text.time($0)); `locctl track resume` goes on" }
        let span = state.first.flatMap { first in
            state.last.map { "\(Text.time(first)) to \(Text.time($0))" }
        }
        return [
            paused ?? state.reason ?? "recording",
            "  file        \(state.file), \(Text.number(Double(state.bytes) / 1_048_576, 1)) MiB",
            "  track       \(span ?? "empty")",
        ]
    }
}

extension HistoryOptions {
    /// With those of the command above, whose an option is that both have.
    fileprivate func joined(with above: HistoryOptions) -> HistoryOptions {
        var joined = self
        joined.historySocket = above.historySocket ?? historySocket
        joined.json = above.json || json
        return joined
    }

    fileprivate func change(_ method: String, _ done: String) throws {
        try connect { connection in
            _ = try connection.call(method)
            if json { try Output.writeJSON(NoParameters()) } else { Output.write(done) }
        }
    }
}
