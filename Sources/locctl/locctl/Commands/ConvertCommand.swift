import ArgumentParser
import Glibc
import LocationFormats
@_spi(Programs) import LocationModel
import SimulatedSource

/// `locctl convert`: writes a recording's locations in another format.
struct ConvertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Writes a recording's locations in another format.",
        discussion: "The daemon is not needed. Locations stay as they were recorded: nothing is marked as replayed.")

    @Argument(help: "A file that `locctl record` made.", completion: .file())
    var recording: String

    @Option(help: "The format to write; geojsonl is GeoJSON with a Feature a line.")
    var format: LocationFormatName

    @Option(
        name: [.short, .customLong("output")],
        help: ArgumentHelp("The file; it must not exist yet. Standard output by default.", valueName: "file"),
        completion: .file())
    var output = "-"

    func run() throws {
        var file = try NewFile(at: output)
        var converter = Converter(format: format.makeFormat())
        do {
            var reader = try RecordingReader(path: recording)
            while let entry = try reader.next() {
                switch entry.content {
                case .location(let location): try converter.add(location, to: &file)
                case .satellites(let satellites): try converter.add(satellites, to: file)
                default: break
                }
            }
            if reader.isTruncated {
                Output.write("locctl: \(recording): its last line is cut off and left out", to: STDERR_FILENO)
            }
        } catch let error as RecordingError {
            // What was written is a complete file of its format all the same.
            try converter.close(file)
            throw Failure(code: ExitCodes.failed, message: "\(recording): \(error)")
        }
        try converter.close(file)
        guard converter.count > 0 else {
            throw Failure(
                code: ExitCodes.failed, message: "\(recording) holds no location; record again while there is a fix")
        }
        Output.write("\(converter.count) locations converted", to: STDERR_FILENO)
    }
}

/// Writes locations one by one; the file is created with the first.
private struct Converter {
    var format: any LocationFormat
    private(set) var count = 0

    init(format: any LocationFormat) {
        self.format = format
    }

    mutating func add(_ location: Location, to file: inout NewFile) throws {
        if try file.create() { try write(format.opening, to: file) }
        count += 1
        try write(format.record(for: location), to: file)
    }

    /// A view of the sky before the first location belongs to none.
    mutating func add(_ satellites: [Satellite], to file: NewFile) throws {
        if count > 0 { try write(format.record(for: satellites), to: file) }
    }

    func close(_ file: NewFile) throws {
        if count > 0 { try write(format.closing, to: file) }
    }

    private func write(_ text: String, to file: NewFile) throws {
        if file.isStandardOutput { Output.writeText(text) } else { try file.write(Array(text.utf8)) }
    }
}
