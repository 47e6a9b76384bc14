import ArgumentParser
import HistoryInterface
import LocationKit
import LocationModel
import Varlink

/// `locctl history pause`: ends the recording of the track until `resume`.
struct PauseHistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Has locationd-history record no track, also after a restart, until `locctl history resume`.",
        discussion: "For administrators; users-may-pause in history.toml lets users decide.")

    @ParentCommand var history: HistoryCommand
    @OptionGroup var options: HistoryOptions

    func run() throws {
        try options.change(HistoryInterface.Method.pause, "nothing is recorded from now on", below: history)
    }
}

/// `locctl history resume`: records again.
struct ResumeHistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Has locationd-history record the track again.")

    @ParentCommand var history: HistoryCommand
    @OptionGroup var options: HistoryOptions

    func run() throws {
        try options.change(HistoryInterface.Method.resume, "the track is recorded again", below: history)
    }
}

/// `locctl history track`: what is recorded.
struct TrackStateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "track", abstract: "Shows what locationd-history records, and whether it is paused.")

    @ParentCommand var history: HistoryCommand
    @OptionGroup var options: HistoryOptions
    @OptionGroup var file: TrackFileOption

    func run() throws {
        try options.connect(file: file.path) { connection in
            let reply = try connection.call(HistoryInterface.Method.getState, as: HistoryStateReply.self)
            guard !options.isJSON(below: history) else { return try Output.writeJSON(reply) }
            for line in Self.lines(reply.state) { Output.write(line) }
        }
    }

    private static func lines(_ state: HistoryState) -> [String] {
        let paused = state.pausedSince.map { "paused since \(Text.time($0)) UTC; `locctl history resume` goes on" }
        let span = state.first.flatMap { first in
            state.last.map { "\(Text.time(first)) to \(Text.time($0)) UTC" }
        }
        return [
            paused ?? state.reason ?? "recording",
            "  file        \(state.file), \(Text.number(Double(state.bytes) / 1_048_576, 1)) MiB",
            "  track       \(span ?? "empty")",
        ]
    }
}

extension HistoryOptions {
    /// An option that both have is the command's above.
    fileprivate func isJSON(below history: HistoryCommand) -> Bool { json || history.options.json }

    fileprivate func change(_ method: String, _ done: String, below history: HistoryCommand) throws {
        try connect { connection in
            _ = try connection.call(method)
            if isJSON(below: history) { try Output.writeJSON(NoParameters()) } else { Output.write(done) }
        }
    }
}
