import ClientTestSupport
import Foundation
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

/// Recordings in other formats.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct ConvertCommandTests {
    private static let header = #"{"format":"locationd-recording","version":1}"#

    private func convert(_ arguments: String...) throws -> DaemonProcess.Answer {
        let child = try LoggedProcess(Products.command, ["convert"] + arguments)
        let code = try child.wait()
        return DaemonProcess.Answer(code: code, output: child.output, errors: child.errors)
    }

    private func recording(_ lines: [String], in folder: TemporaryFolder) throws -> String {
        try folder.write(([Self.header] + lines).joined(separator: "\n"), to: "trip.jsonl")
    }

    /// What the daemon has recorded, in each format: every location, with its position and its time, as it was.
    @Test func everyLocationIsThereInEveryFormat() throws {
        let recorder = try DaemonProcess(Settings.simulator(rate: 10))
        let file = recorder.folder("journey.jsonl")
        #expect(try recorder.locctl("record", file, "--count", "12").code == 0)
        let recorded = recordedLocations(in: file)
        #expect(recorded.count == 12)
        for format in ["gpx", "geojson", "geojsonl", "csv", "kml", "nmea"] {
            let answer = try convert(file, "--format", format)
            #expect(answer.code == 0 && answer.errors == "12 locations converted\n", "\(answer)")
            let output = answer.output.replacing("\r\n", with: "\n")
            switch format {
            case "nmea":
                // The used satellites are of two systems, each with its GSA.
                #expect(output.split(separator: "\n").count { $0.hasPrefix("$GNGSA,") } >= 12)
                for kind in ["GGA", "RMC", "GST"] {
                    #expect(
                        output.split(separator: "\n").count {
                            $0.hasPrefix("$G") && $0.dropFirst(3).hasPrefix("\(kind),")
                        } == 12, "\(output)")
                }
            case "geojson":
                let object = try JSONSerialization.jsonObject(with: Data(answer.output.utf8)) as? [String: Any]
                #expect((object?["features"] as? [Any])?.count == 12, "\(output)")
            case "geojsonl": #expect(output.split(separator: "\n").count == 12)
            case "csv":
                let rows = output.split(separator: "\n").dropFirst().map { $0.split(separator: ",") }
                #expect(rows.map { Double($0[1]) } == recorded.map { $0.coordinate.latitude })
                #expect(rows.map { String($0[0]) } == recorded.map { $0.timestamp?.description ?? "" })
            default:
                for location in recorded {
                    #expect(output.contains(try #require(location.timestamp).description), "\(format)")
                }
                #expect(output.hasSuffix("</\(format)>\n"))
                let schema = format == "gpx" ? XMLSchema.gpx : .kml
                #expect(try schema.complaints(about: answer.output).isEmpty)
            }
            #expect(!output.contains("replayed"), "a conversion is no replay")
        }
    }

    /// Views of the sky are no locations, but sentences of NMEA 0183 have them.
    @Test func satellitesOfARecordingAreSentences() throws {
        let folder = try TemporaryFolder()
        let location = "{\"at\":0,\(ScriptedReply.reducedLocation)}"
        let sky = #"{"at":0,"satellites":[{"gnss":"GPS","id":7,"used":true},{"gnss":"Galileo","id":3,"used":false}]}"#
        let file = try recording([sky, location, sky, location, ""], in: folder)
        let kinds = try convert(file, "--format", "nmea").output.split(separator: "\r\n").map { $0.prefix(6) }
        #expect(
            kinds == [
                "$GPGGA", "$GPRMC", "$GPGSA", "$GPGST", "$GPGSV", "$GAGSV", "$GPGGA", "$GPRMC", "$GPGSA", "$GPGST",
            ])
        #expect(try convert(file, "--format", "nmea").output.contains("GSA,A,2,07,,"))
        #expect(try convert(file, "--format", "geojsonl").output.split(separator: "\n").count == 2)
    }

    @Test func aFileIsMadeAndNoneIsOverwritten() throws {
        let folder = try TemporaryFolder()
        let file = try recording(["{\"at\":0,\(ScriptedReply.reducedLocation)}", ""], in: folder)
        let made = folder("trip.kml")
        #expect(try convert(file, "--format", "kml", "-o", made).code == 0)
        #expect(text(of: made).hasSuffix("</kml>\n"))
        let again = try convert(file, "--format", "gpx", "--output", made)
        #expect(again.code == 1 && again.errors.contains("File exists; choose another name"), "\(again)")
        #expect(text(of: made).hasSuffix("</kml>\n"))
    }

    @Test func whatIsBeforeAnInvalidLineIsComplete() throws {
        let folder = try TemporaryFolder()
        let location = "{\"at\":0,\(ScriptedReply.reducedLocation)}"
        let file = try recording([location, location, "{\"at\":1,", location, ""], in: folder)
        let answer = try convert(file, "--format", "gpx")
        #expect(answer.code == 1 && answer.errors.contains("line 4 is invalid"), "\(answer)")
        #expect(answer.output.split(separator: "<trkpt").count == 3 && answer.output.hasSuffix("</gpx>\n"))
    }

    @Test func aLineThatIsCutOffIsSaidAndLeftOut() throws {
        let folder = try TemporaryFolder()
        let location = "{\"at\":0,\(ScriptedReply.reducedLocation)}"
        let file = try recording([location, "{\"at\":1,\"loc"], in: folder)
        let answer = try convert(file, "--format", "csv")
        #expect(answer.code == 0 && answer.errors.contains("its last line is cut off"), "\(answer)")
        #expect(answer.errors.hasSuffix("1 locations converted\n"))
    }

    @Test func whatIsNoRecordingOrHoldsNothingIsSaid() throws {
        let folder = try TemporaryFolder()
        let empty = try recording([#"{"at":0,"satellites":[]}"#, ""], in: folder)
        let unmade = folder("none.gpx")
        let answer = try convert(empty, "--format", "gpx", "-o", unmade)
        #expect(answer.code == 1 && answer.errors.contains("holds no location"), "\(answer)")
        #expect(!FileManager.default.fileExists(atPath: unmade))
        let other = try folder.write("<gpx/>", to: "trip.gpx")
        #expect(try convert(other, "--format", "kml").errors.contains("it is not a recording"))
        #expect(try convert(folder("missing"), "--format", "kml").errors.contains("check its path"))
        let wrong = try convert(empty, "--format", "pdf")
        #expect(wrong.code == 2 && wrong.errors.contains("kml"), "\(wrong)")
    }
}
