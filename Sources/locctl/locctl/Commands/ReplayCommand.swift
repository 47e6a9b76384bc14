import ArgumentParser
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import SimulatedSource
@_spi(Programs) import SystemSupport

/// `locctl replay`: plays a recording into the running service.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Plays a recording's locations into the running service, marked as simulated and replayed.")

    @OptionGroup var options: ConnectionOptions

    @Argument(help: "A file that `locctl record` made.", completion: .file())
    var file: String

    @Option(help: ArgumentHelp("How many times as fast, 0.01 to 1000.", valueName: "factor"))
    var speed: NumberArgument = 1.0

    @Flag(help: "Begin again at the end, until Ctrl-C.")
    var loop = false

    func validate() throws {
        guard (0.01...1000).contains(speed.value) else { throw ValidationError("--speed is 0.01 to 1000") }
    }

    func run() throws {
        try Interruption.withWaker { try play(until: $0) }
    }

    private func play(until waker: Waker) throws {
        let connection = try options.connect(waker: waker)
        var played = 0
        var pace = ReplayPace(speed: speed.value)
        repeat {
            let before = played
            do {
                try play(over: connection, &pace, waker, &played)
            } catch LocationError.cancelled {
                break
            }
            guard played > before else { break }
            pace.beginAgain()
        } while loop && !waker.isWoken
        guard played > 0 || waker.isWoken else {
            throw Failure(code: ExitCodes.failed, message: "\(file) holds no location")
        }
        Output.write("\(played) locations replayed", to: STDERR_FILENO)
    }

    private func play(
        over connection: VarlinkConnection, _ pace: inout ReplayPace, _ waker: Waker, _ played: inout Int
    ) throws {
        do {
            var reader = try RecordingReader(path: file)
            while let entry = try reader.next() {
                guard case .location(let location) = entry.content else { continue }
                let due = pace.due(entry.at, now: MachineClock.now)
                while case let left = due.seconds(since: MachineClock.now), left > 0, !waker.isWoken {
                    _ = waker.wait(for: -1, events: 0, seconds: left)
                }
                if waker.isWoken { return }
                let parameters = SimulateParameters(location: location, isReplayed: true)
                _ = try connection.administer(AdminInterface.Method.simulate, parameters, as: SimulateReply.self)
                played += 1
            }
            if reader.isTruncated {
                Output.write("the last line of \(file) is incomplete and was ignored", to: STDERR_FILENO)
            }
        } catch let error as RecordingError {
            throw Failure(code: ExitCodes.failed, message: "\(file): \(error)")
        }
    }
}
