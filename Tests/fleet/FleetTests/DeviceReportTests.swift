import Foundation
import Testing

@testable import Fleet

/// What others publish, who may be anybody.
@Suite struct DeviceReportTests {
    private func report(_ payload: String, topic: String = "owntracks/anna/boat") -> DeviceReport? {
        DeviceReport(topic: topic, payload: Array(payload.utf8), isRetained: false)
    }

    @Test func locationOfAnApp() throws {
        let report = try #require(
            self.report(
                #"{"_type":"location","lat":48.85833,"lon":2.29513,"tst":1497476456,"tid":"JJ","acc":75,"alt":13,"vac":10,"vel":54,"#
                    + #""cog":270,"batt":92,"conn":"w","inregions":["home"],"t":"u"}"#))
        #expect(report.kind == .location && report.device == "anna/boat" && report.tst == 1_497_476_456)
        #expect(report.lat == 48.85833 && report.lon == 2.29513 && report.acc == 75 && report.vel == 54)
        #expect(report.cog == 270 && report.batt == 92 && report.tid == "JJ" && report.simulated == nil)
        let line = DeviceListLine(report: report)
        #expect(try JSONDecoder().decode(DeviceListLine.self, from: JSONEncoder().encode(line)) == line)
    }

    /// A value of another type, or one that cannot be true, is as good as none.
    @Test func wrongOptionalValuesAreUnknown() throws {
        let report = try #require(
            self.report(
                #"{"_type":"location","lat":1,"lon":2,"tst":1497476456,"acc":"75","vel":-3,"cog":361,"batt":101,"alt":null,"tid":7}"#
            ))
        #expect(report.acc == nil && report.vel == nil && report.cog == nil && report.batt == nil && report.alt == nil)
        #expect(report.tid == nil)
    }

    @Test func nameIsCutOff() throws {
        let name = String(repeating: "\u{1b}", count: 1000)
        let payload = try JSONSerialization.data(withJSONObject: ["_type": "card", "name": name])
        let report = DeviceReport(topic: "owntracks/a/b/info", payload: Array(payload), isRetained: true)
        #expect(report?.kind == .card && report?.name?.count == 64 && report?.device == "a/b")
    }

    /// A character has any number of combining marks, and a line of the list has to stay short all the same.
    @Test func combiningMarksAreCutOff() throws {
        let text = String(repeating: "a" + String(repeating: "\u{301}", count: 500), count: 32)
        let values: [String: Any] = [
            "_type": "transition", "lat": 1, "lon": 2, "tst": 1_497_476_456, "event": "enter", "tid": text,
            "desc": text,
        ]
        let payload = try JSONSerialization.data(withJSONObject: values)
        #expect(payload.count > 60_000 && payload.count <= DeviceReport.payloadLimit)
        let report = try #require(DeviceReport(topic: "owntracks/a/b", payload: Array(payload), isRetained: true))
        #expect(report.tid?.unicodeScalars.count == 64 && report.tid?.utf8.count ?? 0 <= 256)
        #expect(report.desc == report.tid)
        #expect(try JSONEncoder().encode(DeviceListLine(report: report)).count < 2048)
    }

    @Test(
        arguments: [
            "", "garbage", "[]", "null", "7", #""location""#, "{}", #"{"_type":7}"#,
            #"{"_type":"cmd","action":"dump"}"#,
            #"{"_type":"location","lat":1,"lon":2}"#, #"{"_type":"location","lat":1,"lon":2,"tst":"1497476456"}"#,
            #"{"_type":"location","lat":1,"lon":2,"tst":0}"#, #"{"_type":"location","lat":1,"lon":2,"tst":1e300}"#,
            #"{"_type":"location","lat":90.1,"lon":2,"tst":1497476456}"#,
            #"{"_type":"location","lat":1,"lon":-180.5,"tst":1497476456}"#,
            #"{"_type":"location","lat":"1","lon":2,"tst":1497476456}"#,
            #"{"_type":"location","lat":1e999,"lon":2,"tst":1497476456}"#,
            #"{"_type":"transition","lat":1,"lon":2,"tst":1497476456,"event":"pass"}"#,
            #"{"_type":"transition","lat":1,"lon":2,"tst":1497476456}"#,
            String(repeating: "[", count: 60_000), #"{"_type":"location","lat":1,"lon":2,"tst":1497476456"#,
        ])
    func otherMessagesAreIgnored(payload: String) { #expect(report(payload) == nil) }

    @Test func longTopicsAndPayloadsAreIgnored() {
        let valid = #"{"_type":"lwt","tst":1}"#
        #expect(report(valid) != nil)
        #expect(report(valid, topic: String(repeating: "a", count: 257)) == nil && report(valid, topic: "") == nil)
        #expect(report(valid + String(repeating: " ", count: DeviceReport.payloadLimit)) == nil)
    }

    @Test func deviceIsWhatTheTopicNames() {
        for (topic, device) in [
            ("owntracks/anna/boat", "anna/boat"), ("owntracks/anna/boat/event", "anna/boat"), ("fleet/7", "fleet/7"),
            ("owntracks", "owntracks"), ("owntracks/anna/event", "anna/event"), ("trucks/a/b/info", "trucks/a/b"),
        ] {
            #expect(report(#"{"_type":"lwt"}"#, topic: topic)?.device == device, "\(topic)")
        }
    }

    @Test func wildcardsStandWhereTheyMay() {
        #expect(["owntracks/+/+", "#", "+", "a/#", "a//b", "/"].allSatisfy(TopicFilter.isValid))
        #expect(
            !["", "a/#/b", "a+", "a/b#", "#a", "a\0", String(repeating: "a", count: 257)].contains(
                where: TopicFilter.isValid))
    }
}
