import ArgumentParser
import Glibc
import LocationInterface
import LocationKit

/// The chain from the receiver to the caller, link by link.
struct DiagnoseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diagnose",
        abstract: "Checks the chain from the receiver to you and says what to do where it breaks.")

    @OptionGroup var options: ConnectionOptions

    @Option(help: "Wait so many seconds for a fix.")
    var patience = 15.0

    func validate() throws {
        guard patience.isFinite, patience > 0 else { throw ValidationError("--patience is more than 0 seconds") }
    }

    func run() throws {
        var diagnosis = Diagnosis()
        diagnosis.examine(options, patience: patience)
        if options.json {
            try Output.writeJSON(diagnosis)
        } else {
            for line in diagnosis.steps.flatMap(\.lines) { Output.write(line) }
            if diagnosis.isSound { Output.write("Everything works.") }
        }
        if !diagnosis.isSound { throw Failure(code: diagnosis.exitCode, message: nil) }
    }
}
