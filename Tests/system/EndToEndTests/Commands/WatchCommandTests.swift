import ClientTestSupport
import Foundation
import FoundationXML
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Testing

/// Locations for other programs, in their formats.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct WatchCommandTests {
    /// One document, whatever ends it.
    @Test(arguments: [SIGINT, SIGTERM, nil])
    func geoJSONIsOneDocument(signal: Int32?) throws {
        let daemon = try DaemonProcess(Settings.simulator(rate: 10))
        let child = try daemon.start("watch", ["--format", "geojson"] + (signal == nil ? ["--count", "3"] : []))
        if let signal {
            try waitUntil("two features come", details: { child.errors }) {
                child.output.components(separatedBy: "\"Feature\"").count > 2
            }
            child.signal(signal)
        }
        #expect(try child.wait() == 0)
        let document = try json(child.output)
        #expect(document["type"] as? String == "FeatureCollection")
        let features = document["features"] as? [[String: Any]] ?? []
        #expect(features.count >= 2 && features.allSatisfy { $0["type"] as? String == "Feature" })
    }

    @Test func geoJSONLinesAreAFeaturePerLine() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let answer = try daemon.locctl("watch", "--format", "geojsonl", "--count", "3")
        #expect(answer.code == 0 && answer.lines.count == 3, "\(answer)")
        for line in answer.lines {
            let feature = try json(line)
            #expect(feature["type"] as? String == "Feature")
            let position = (feature["geometry"] as? [String: Any])?["coordinates"] as? [Double] ?? []
            #expect(position.count == 3 && abs(position[0] + 78.5) < 0.1 && abs(position[1] + 0.22) < 0.1)
        }
    }

    @Test func durationEndsTheCommand() throws {
        let daemon = try DaemonProcess(Settings.simulator(rate: 10))
        let answer = try daemon.locctl("watch", "--json", "--duration", "1.5")
        #expect(answer.code == 0 && answer.errors.isEmpty, "\(answer)")
        #expect(answer.lines.count > 2 && answer.lines.last?.contains(#""reason":"duration""#) == true, "\(answer)")
        let text = try daemon.locctl("watch", "--duration", "0.2")
        #expect(text.code == 0 && !text.output.contains("duration"), "\(text)")
        #expect(try daemon.locctl("watch", "--duration", "0").code == 2)
    }

    @Test func gpxIsClosedWhenInterrupted() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let child = try daemon.start("watch", ["--format", "gpx"])
        try waitUntil("three points come", details: { child.errors }) { points(child.output) >= 3 }
        child.signal(SIGINT)
        #expect(try child.wait() == 0)
        #expect(throws: Never.self) { try XMLDocument(data: Data(child.output.utf8)) }
        #expect(child.output.hasSuffix("</gpx>\n") && points(child.output) >= 3)
        #expect(try XMLSchema.gpx.complaints(about: child.output).isEmpty)
        let answer = try daemon.locctl("watch", "--format", "kml", "--count", "2")
        #expect(try XMLSchema.kml.complaints(about: answer.output).isEmpty)
    }

    private func points(_ text: String) -> Int { text.components(separatedBy: "<trkpt ").count - 1 }

    @Test func gpxIsClosedWhenTheDaemonEnds() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let child = try daemon.start("watch", ["--format", "gpx"])
        try waitUntil("a point comes", details: { child.errors }) { points(child.output) >= 1 }
        try daemon.stop()
        #expect(try child.wait() == 3)
        #expect(child.errors.contains("stopping"))
        #expect(throws: Never.self) { try XMLDocument(data: Data(child.output.utf8)) }
        #expect(child.output.hasSuffix("</gpx>\n"))
    }

    @Test func nmeaHasItsChecksums() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let answer = try daemon.locctl("watch", "--format", "nmea", "--count", "3")
        let lines = answer.output.components(separatedBy: "\r\n").filter { !$0.isEmpty }
        #expect(answer.code == 0 && lines.count == 12)
        for line in lines {
            let parts = line.dropFirst().split(separator: "*")
            #expect(line.hasPrefix("$") && parts.count == 2)
            #expect(UInt8(parts.last ?? "", radix: 16) == parts.first?.utf8.reduce(0, ^), "\(line)")
        }
        for kind in ["GGA", "RMC", "GSA", "GST"] { #expect(lines.count { $0.hasPrefix("$GP\(kind),") } == 3) }
        let more = try daemon.locctl("watch", "--format", "nmea", "--satellites", "--count", "15")
        #expect(more.output.contains("$GPGSV,") && more.output.contains(/GSA,A,3,[0-9]/), "\(more)")
    }

    @Test func csvHasAHeaderAndARowPerLocation() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let rows = try csv(daemon, "--count", "2")
        #expect(rows.count == 2)
        #expect(rows.allSatisfy { Double($0["latitude_deg"] ?? "") != nil && $0["source"] == "simulator" })
        #expect(rows[0]["sequence"] != rows[1]["sequence"])
    }

    @Test func intervalHoldsBack() throws {
        let daemon = try DaemonProcess(Settings.simulator(rate: 10))
        let rows = try csv(daemon, "--count", "3", "--interval", "0.5")
        let times = rows.compactMap { row in
            UTCTime(row["timestamp"] ?? "").flatMap { utc in Double(row["monotonicTime_s"] ?? "").map { (utc, $0) } }
        }
        #expect(times.count == 3)
        // The receiver's clock counts where the machine's saw the fixes come closer together. Both are rounded.
        let intervals = zip(times, times.dropFirst()).map { max($1.0.seconds(since: $0.0), $1.1 - $0.1) }
        #expect(intervals.allSatisfy { $0 > 0.498 }, "\(intervals)")
    }

    @Test func distanceHoldsBack() throws {
        let receiver = try Receiver(rate: 10)
        let gpsd = try GPSD([receiver.path])
        let daemon = try DaemonProcess(Settings.gpsd(gpsd.port))
        let places = try csv(daemon, "--count", "3", "--distance", "4").compactMap { row in
            Coordinate(
                latitude: Double(row["latitude_deg"] ?? "") ?? .nan,
                longitude: Double(row["longitude_deg"] ?? "") ?? .nan)
        }
        #expect(places.count == 3)
        // At five metres a second and ten fixes each, the next is half a metre away.
        let steps = zip(places, places.dropFirst()).map { $0.distance(to: $1) }
        #expect(steps.allSatisfy { $0 >= 4 && $0 < 6 }, "\(steps)")
    }

    @Test func jsonIsAReplyPerLine() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let answer = try daemon.locctl("watch", "--json", "--count", "2", "--satellites")
        let replies = try answer.lines.map { try json($0) }
        #expect(answer.code == 0)
        #expect(replies.first?["status"] is [String: Any])
        #expect(replies.count { $0["location"] != nil } == 2)
        #expect(replies.contains { $0["satellites"] != nil })
    }

    @Test func satellitesOfTheOnlyLocationAreShown() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let text = try daemon.locctl("watch", "--count", "1", "--satellites")
        #expect(text.code == 0 && text.lines.count { $0.contains(", simulated)") } == 1, "\(text)")
        #expect(text.lines.last?.hasPrefix("satellites  ") == true, "\(text)")
        let json = try daemon.locctl("watch", "--count", "1", "--satellites", "--json")
        #expect(json.lines.allSatisfy { $0 != "{}" } && json.lines.last?.contains("satellites") == true, "\(json)")
    }

    @Test func everySourceIsNamedAndDoubtsComeFirst() throws {
        let status = ScriptedReply.status("authorizedAlways", reason: nil, source: "tracking", continues: true)
        let doubted = ScriptedReply.reducedLocation.replacing(#""latitude""#, with: #""implausible":"jump","latitude""#)
        let service = try ScriptedService([
            "Watch": [status, ScriptedReply.location(doubted, continues: true), ScriptedReply.location()]
        ])
        let answer = try service.locctl("watch", "--every-source")
        #expect(answer.code == 0 && answer.lines.count == 2, "\(answer)")
        let ends = answer.lines.compactMap { $0.components(separatedBy: "(arrival)  ").last }
        #expect(ends.first?.hasPrefix("gpsd  (implausible: too far from the fix before)  52.5") == true, "\(answer)")
        #expect(ends.last?.hasPrefix("gpsd  52.5") == true, "\(answer)")
    }

    @Test func anUnchangedHeadingIsNoNews() throws {
        let status = ScriptedReply.status("authorizedAlways", reason: nil, source: "tracking", continues: true)
        func heading(_ degrees: Double) -> String {
            #"{"parameters":{"heading":{"magneticHeading":\#(degrees),"age":0}},"continues":true}"#
        }
        let service = try ScriptedService([
            "Watch": [status, heading(10), heading(10), heading(11), ScriptedReply.location()]
        ])
        let lines = try service.locctl("watch", "--heading").lines.filter { $0.contains("heading") }
        #expect(lines.compactMap { $0.components(separatedBy: "  ").last } == ["magnetic 10.0°", "magnetic 11.0°"])
        #expect(lines.allSatisfy { $0.contains(" (arrival)  heading  ") }, "\(lines)")
    }

    @Test func aNetworkPositionToldAgainIsPrintedOnceAndWrittenEachTime() throws {
        let status = ScriptedReply.status("authorizedAlways", reason: nil, source: "tracking", continues: true)
        let told = ScriptedReply.reducedLocation.replacing(#""isSim"#, with: #""method":"network","isSim"#)
        let another = told.replacing("13.4", with: "13.5")
        let service = try ScriptedService([
            "Watch": [
                status, ScriptedReply.location(told, continues: true), ScriptedReply.location(told, continues: true),
                ScriptedReply.location(another),
            ]
        ])
        let text = try service.locctl("watch")
        #expect(text.code == 0 && text.lines.map { $0.contains("13.4") } == [true, false], "\(text)")
        let json = try service.locctl("watch", "--json")
        #expect(json.lines.count { $0.contains("latitude") } == 3, "\(json)")
    }

    @Test func readerThatLeavesEndsIt() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let command = "'\(Products.command)' watch --format csv --socket '\(daemon.control)' | head -n 2"
        let child = try LoggedProcess("sh", ["-c", command])
        #expect(try child.wait() == 0)
        #expect(child.output.components(separatedBy: "\r\n").count == 3)
        try waitUntil("the watch is gone") { try daemon.statistics().watches == 0 }
    }

    /// Rows by the header's names.
    private func csv(_ daemon: DaemonProcess, _ arguments: String...) throws -> [[String: String]] {
        let child = try daemon.start("watch", ["--format", "csv"] + arguments)
        #expect(try child.wait() == 0, "\(child.errors)")
        let lines = child.output.components(separatedBy: "\r\n").dropLast()
            .map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
        let header = try #require(lines.first)
        return lines.dropFirst().map { row in
            #expect(row.count == header.count)
            return Dictionary(zip(header, row)) { first, _ in first }
        }
    }
}
