import Fleet
import Foundation
@_spi(Programs) import LocationModel
import Testing

@testable import locctl

/// The table of a broker's devices, without a broker.
@Suite struct FleetDevicesTests {
    private var devices = FleetDevices()
    private let now = UTCTime(seconds: 1_772_366_400)

    private mutating func apply(
        _ topic: String, _ payload: String, isRetained: Bool = false
    ) throws -> DeviceReport? {
        let report = try #require(
            DeviceReport(topic: topic, payload: Array(payload.utf8), isRetained: isRetained), "\(payload)")
        return devices.apply(DeviceListLine(report: report))
    }

    private func row(_ name: String) -> [String]? { devices.devices[name]?.row(name, at: now) }

    private static func location(_ age: Int64, lat: Double = 54.3233) -> String {
        #"{"_type":"location","lat":\#(lat),"lon":10.1394,"tst":\#(1_772_366_400 - age),"acc":5,"vel":50,"batt":80}"#
    }

    @Test mutating func rowHasWhatIsKnownAndNothingElse() throws {
        _ = try apply("owntracks/anna/boat", Self.location(4))
        #expect(row("anna/boat") == ["anna/boat", "54.32330, 10.13940", "±5.0 m", "50 km/h", "4 s", "80 %", ""])
        _ = try apply("owntracks/otto/x", #"{"_type":"location","lat":1,"lon":2,"tst":1772366400,"simulated":true}"#)
        #expect(row("otto/x") == ["otto/x", "1.00000, 2.00000", "-", "-", "0 s", "-", "simulated"])
        #expect(devices.lines(at: now).map { $0.prefix(9) } == ["DEVICE   ", "anna/boat", "otto/x   "])
    }

    /// An older location that is published after an outage is no news.
    @Test mutating func olderLocationDoesNotReplaceANewerOne() throws {
        #expect(try apply("owntracks/anna/boat", Self.location(4)) != nil)
        #expect(try apply("owntracks/anna/boat", Self.location(400, lat: 1)) == nil)
        #expect(row("anna/boat")?[1] == "54.32330, 10.13940")
        #expect(row("anna/boat")?[4] == "4 s")
        #expect(devices.devices["anna/boat"]?.row("", at: UTCTime(seconds: now.seconds + 7000))[4] == "117 min")
    }

    @Test mutating func droppedMessagesAreSaid() {
        _ = devices.apply(DeviceListLine(dropped: 7))
        _ = devices.apply(DeviceListLine(state: "", ignored: 1))
        #expect(devices.notes.contains("-- 7 messages were dropped: more came than could be read"))
    }

    @Test mutating func clockThatIsAheadIsSaid() throws {
        _ = try apply("owntracks/anna/boat", Self.location(-600))
        #expect(row("anna/boat")?[4] == "10 min ahead")
    }

    @Test mutating func lastWillHoldsUntilTheDeviceIsHeardOf() throws {
        _ = try apply("owntracks/anna/boat", #"{"_type":"lwt","tst":1772366000}"#)
        _ = try apply("owntracks/anna/boat", Self.location(4), isRetained: true)
        #expect(row("anna/boat")?[6] == "gone", "what was kept may be older")
        _ = try apply("owntracks/anna/boat", Self.location(3))
        #expect(row("anna/boat")?[6] == "")
    }

    @Test mutating func transitionsAndCardsBelongToTheirDevice() throws {
        _ = try apply("owntracks/anna/boat/info", #"{"_type":"card","name":"Anna","face":"AAAA"}"#)
        _ = try apply(
            "owntracks/anna/boat/event",
            #"{"_type":"transition","event":"leave","desc":"harbour","lat":1,"lon":2,"acc":3,"tst":1772366400,"wtst":1}"#
        )
        #expect(devices.devices.keys.map(\.self) == ["anna/boat"])
        #expect(row("anna/boat")?[6] == "left harbour, Anna")
    }

    @Test mutating func featuresAreThoseOfRFC7946() throws {
        _ = try apply("owntracks/anna/boat", Self.location(4))
        _ = try apply("owntracks/otto/x", #"{"_type":"lwt","tst":1772366000}"#)
        let text = try JSONEncoder().encode(devices.featureCollection)
        let object = try #require(JSONSerialization.jsonObject(with: text) as? [String: Any])
        #expect(object["type"] as? String == "FeatureCollection")
        let features = try #require(object["features"] as? [[String: Any]])
        #expect(features.count == 1, "a device without a position is none")
        let geometry = features[0]["geometry"] as? [String: Any]
        #expect(geometry?["type"] as? String == "Point" && geometry?["coordinates"] as? [Double] == [10.1394, 54.3233])
        let properties = features[0]["properties"] as? [String: Any]
        #expect(properties?["device"] as? String == "anna/boat" && properties?["vel"] as? Double == 50)
    }

    @Test mutating func garbageAndTheConnectionAreSaid() {
        #expect(devices.lines(at: now).count == 1, "nothing is known yet")
        _ = devices.apply(DeviceListLine(state: ""))
        _ = devices.apply(DeviceListLine(ignored: 7))
        #expect(
            devices.notes == [
                "-- no device has reported a position", "-- 7 messages were ignored: no valid messages of devices",
            ])
        _ = devices.apply(DeviceListLine(state: "the broker is away"))
        #expect(devices.notes.first == "-- the broker is away")
    }

    @Test mutating func inventedDevicesDoNotFillTheMemory() throws {
        for number in 0..<FleetDevices.limit { _ = try apply("owntracks/a/\(number)", Self.location(1)) }
        #expect(try apply("owntracks/a/more", Self.location(1)) == nil)
        #expect(devices.devices.count == FleetDevices.limit && devices.ignored == 1)
        #expect(try apply("owntracks/a/7", Self.location(0)) != nil, "known devices go on")
    }
}
