import Foundation
import LocationModel
import SimulatedSource

/// A file for one test, gone with it.
final class TemporaryRecording: Sendable {
    let path: String

    init(_ bytes: [UInt8]) throws {
        path = FileManager.default.temporaryDirectory.appending(path: "recording-\(UUID().uuidString)").path
        try Data(bytes).write(to: URL(filePath: path))
    }

    convenience init(entries: [RecordingEntry], appending rest: String = "") throws {
        let writer = RecordingWriter()
        let lines = try entries.flatMap { try writer.line(for: $0) }
        try self.init(writer.header(created: ManualTime.origin) + lines + Array(rest.utf8))
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
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
