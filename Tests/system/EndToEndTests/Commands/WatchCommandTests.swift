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

    @Test func durationEndsTheCommand() throws {
        let daemon = try DaemonProcess(Settings.simulator(rate: 10))
        let answer = try daemon.locctl("watch", "--json", "--duration", "1.5")
        #expect(answer.code == 0 && answer.errors.isEmpty, "\(answer)")
        #expect(answer.lines.count > 2 && answer.lines.last?.contains(#""reason":"duration""#) == true, "\(answer)")
        let text = try daemon.locctl("watch", "--duration", "0.2")
        #expect(text.code == 0 && !text.output.contains("duration"), "\(text)")
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
        let sentences = try daemon.locctl("watch", "--format", "nmea", "--satellites", "--count", "15")
        #expect(sentences.output.contains("$GPGSV,") && sentences.output.contains(/GSA,A,3,[0-9]/), "\(sentences)")
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

    @Test func jsonIsAReplyPerLine() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let answer = try daemon.locctl("watch", "--json", "--count", "2", "--satellites")
        let replies = try answer.lines.map { try json($0) }
        #expect(answer.code == 0)
        #expect(replies.first?["status"] is [String: Any])
        #expect(replies.count { $0["location"] != nil } == 2)
        #expect(replies.contains { $0["satellites"] != nil })
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
}
