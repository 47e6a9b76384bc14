import Foundation
@_spi(Programs) import LocationModel
import ProgramTestSupport
import SimulatedSource

/// A file for one test, gone with it.
final class TemporaryRecording: Sendable {
    let path: String

    private let folder: TemporaryFolder

    init(_ bytes: [UInt8]) throws {
        folder = try TemporaryFolder()
        path = try folder.write(Data(bytes), to: "recording.jsonl")
    }

    convenience init(entries: [RecordingEntry], appending rest: String = "") throws {
        let writer = RecordingWriter()
        let lines = try entries.flatMap { try writer.line(for: $0) }
        try self.init(writer.header(created: ManualTime.origin) + lines + Array(rest.utf8))
    }

    /// A fix such as gpsd delivers, on the millisecond as the wire has it.
    static func fix(_ number: Int) throws -> Location {
        let start = try SimulatedDriveTests.berlin()
        var fix = SimulatedDrive(start: start).location(
            at: Double(number), monotonicTime: BootInstant(seconds: 77), source: SourceInformation(name: "gpsd"))
        fix.source.device = "/dev/ttyUSB0"
        fix.timestamp = UTCTime(seconds: 1_770_000_000 + Int64(number), nanoseconds: 250_000_000)
        fix.sequence = Int64(number + 1)
        return fix
    }
}
