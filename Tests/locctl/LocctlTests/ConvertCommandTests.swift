import ArgumentParser
import Foundation
import ProgramTestSupport
import Testing

@testable import locctl

/// Recordings in other formats.
@Suite struct ConvertCommandTests {
    private let folder = try? TemporaryFolder()

    private func location(_ number: Int) -> String {
        #"{"at":\#(number),"location":{"latitude":52.\#(500 + number),"longitude":13.4,"horizontalAccuracy":3,"#
            + #""mode":"twoDimensional","age":0,"monotonicTime":\#(number + 1),"sequence":\#(number + 1),"#
            + #""timestamp":"2026-03-01T12:00:0\#(number).000Z","source":{"name":"gpsd","isSimulated":false,"#
            + #""isReplayed":false}}}"#
    }

    /// What the command writes of a recording with these lines.
    private func converted(_ lines: [String], to format: String) throws -> String {
        let folder = try #require(folder)
        let header = #"{"format":"locationd-recording","version":1}"#
        let path = try folder.write(([header] + lines).joined(separator: "\n"), to: "trip.jsonl")
        let made = folder("made.\(format)")
        defer { try? FileManager.default.removeItem(atPath: made) }
        var failure: (any Error)?
        do { try ConvertCommand.parse([path, "--format", format, "-o", made]).run() } catch { failure = error }
        let text = FileManager.default.fileExists(atPath: made) ? try String(contentsOfFile: made, encoding: .utf8) : ""
        guard let failure else { return text }
        let message = (failure as? locctl.Failure).flatMap { $0.code == 1 ? $0.message : nil } ?? "another error"
        return text + "failed: \(message)"
    }

    @Test(arguments: ["gpx", "geojson", "geojsonl", "csv", "kml", "nmea"])
    func everyLocationIsInEveryFormat(format: String) throws {
        let text = try converted((0..<3).map(location) + [""], to: format).replacing("\r\n", with: "\n")
        switch format {
        case "nmea":
            for kind in ["GGA", "RMC", "GST"] { #expect(text.components(separatedBy: "$GP\(kind),").count == 4) }
        case "geojson":
            let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
            #expect((object?["features"] as? [Any])?.count == 3, "\(text)")
        case "geojsonl": #expect(text.split(separator: "\n").count == 3)
        default: for second in 0..<3 { #expect(text.contains("2026-03-01T12:00:0\(second)"), "\(text)") }
        }
        #expect(!text.contains("replayed"), "a conversion is no replay")
    }

    /// Views of the sky are no locations, but sentences of NMEA 0183 have them.
    @Test func satellitesAreSentencesAfterTheFirstLocation() throws {
        let sky = #"{"at":0,"satellites":[{"gnss":"GPS","id":7,"used":true},{"gnss":"Galileo","id":3,"used":false}]}"#
        let lines = [sky, location(0), sky, location(1), ""]
        let text = try converted(lines, to: "nmea")
        #expect(
            text.split(separator: "\r\n").map { $0.prefix(6) } == [
                "$GPGGA", "$GPRMC", "$GPGSA", "$GPGST", "$GPGSV", "$GAGSV", "$GPGGA", "$GPRMC", "$GPGSA", "$GPGST",
            ])
        #expect(text.contains("GSA,A,2,07,,"))
        #expect(try converted(lines, to: "geojsonl").split(separator: "\n").count == 2)
    }

    @Test func linesBeforeAnInvalidOneAreACompleteFile() throws {
        let text = try converted([location(0), location(1), "{\"at\":1,", location(2), ""], to: "gpx")
        #expect(text.split(separator: "<trkpt").count == 3 && text.contains("</gpx>\nfailed: "), "\(text)")
        #expect(text.contains("line 4 is invalid"), "\(text)")
    }

    @Test func lineThatIsCutOffIsLeftOut() throws {
        let text = try converted([location(0), "{\"at\":1,\"loc"], to: "geojsonl")
        #expect(text.split(separator: "\n").count == 1 && !text.contains("failed"), "\(text)")
    }

    @Test func existingFileAndWrongInputAreRefused() throws {
        let folder = try #require(folder)
        #expect(try converted([#"{"at":0,"satellites":[]}"#, ""], to: "gpx").contains("holds no location"))
        let other = try folder.write("<gpx/>", to: "trip.gpx")
        for (input, output, words) in [
            (other, folder("new"), "it is not a recording"), (folder("missing"), folder("new"), "check its path"),
            (other, other, "File exists; choose another name"),
        ] {
            let failure = #expect(throws: locctl.Failure.self) {
                try ConvertCommand.parse([input, "--format", "kml", "-o", output]).run()
            }
            #expect(failure?.code == 1 && failure?.message?.contains(words) == true, "\(failure?.message ?? "")")
        }
    }
}
