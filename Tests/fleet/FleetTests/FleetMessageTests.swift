import Foundation
@_spi(Programs) import LocationModel
import Testing

@testable import Fleet

/// A location at which every value of OwnTracks' form is known.
func fullLocation(latitude: Double = 52.516_272_349, sequence: Int64 = 42) throws -> Location {
    var location = Location(
        coordinate: try #require(Coordinate(latitude: latitude, longitude: 13.377_722)), mode: .threeDimensional,
        monotonicTime: BootInstant(seconds: 100), source: SourceInformation(name: "gpsd"))
    location.horizontalAccuracy = 4.2
    location.verticalAccuracy = 7.01
    location.altitude = 34.6
    location.speed = 13.9
    location.course = 271.26
    location.timestamp = UTCTime("2026-03-01T12:00:00.900Z")
    location.sequence = sequence
    return location
}

/// The messages, as brokers get them.
@Suite struct FleetMessageTests {
    private let now = UTCTime(seconds: 1_772_366_400)

    private func writer(_ change: (inout FleetForms) -> Void = { _ in }) throws -> MessageWriter {
        var forms = FleetForms()
        change(&forms)
        return MessageWriter(try #require(FleetDevice(user: "anna", device: "boat-1")), forms, origin: 0xAB)
    }

    private func text(_ message: FleetMessage?) -> String { String(decoding: message?.payload ?? [], as: UTF8.self) }

    @Test func locationHasOwnTracksUnitsAndWholeNumbers() throws {
        let messages = try writer().messages(of: fullLocation(), age: 0.1, now: now, trigger: .moving)
        try #require(messages.count == 1)
        #expect(messages[0].topic == "owntracks/anna/boat-1")
        #expect(messages[0].isRetained && messages[0].kind == .location)
        #expect(
            text(messages[0])
                == #"{"_id":"ab-69a42a40-2a","_type":"location","acc":5,"alt":35,"cog":271.3,"lat":52.5162723,"lon":13.377722,"#
                + #""m":2,"t":"t","tid":"-1","tst":1772366400,"vac":8,"vel":50}"#)
    }

    /// A number that stands for "unknown" would be believed.
    @Test func unknownValuesAreAbsent() throws {
        let location = Location(
            coordinate: try #require(Coordinate(latitude: -90, longitude: 180)),
            monotonicTime: BootInstant(seconds: 100), source: SourceInformation(name: "gpsd"))
        let message = try writer().messages(of: location, age: 2.5, now: now, trigger: .heartbeat).first
        #expect(
            text(message)
                == #"{"_id":"ab-69a42a3d-0","_type":"location","created_at":1772366400,"lat":-90,"lon":180,"m":2,"t":"T","#
                + #""tid":"-1","tst":1772366397}"#)
    }

    @Test func implausibleTimeGivesWayToTheClock() throws {
        var location = try fullLocation()
        location.timestamp = UTCTime("2006-07-15T12:00:00Z")
        location.isTimestampImplausible = true
        #expect(location.unixTime(age: 1, now: now) == now.seconds - 1)
    }

    /// What no receiver says may not end the program.
    @Test(arguments: [1e30, -1e30])
    func hugeNumbersAreAbsent(number: Double) throws {
        var location = try fullLocation()
        location.horizontalAccuracy = number
        location.altitude = number
        location.speed = number
        let message = text(try writer().messages(of: location, age: 0, now: now, trigger: .moving).first)
        #expect(!message.contains("acc") && !message.contains("alt") && !message.contains("vel"))
        location.course = .nan
        #expect(try writer().messages(of: location, age: 0, now: now, trigger: .moving).isEmpty)
    }

    @Test func simulatedLocationIsMarked() throws {
        var location = try fullLocation()
        location.source = SourceInformation(name: "simulator", method: .simulated)
        for message in try writer({ $0.homeAssistantPrefix = "homeassistant" }).messages(
            of: location, age: 0, now: now, trigger: .moving)
        {
            #expect(text(message).contains(#""simulated":true"#))
        }
        let plain = try writer { $0.plain = true }.messages(of: location, age: 0, now: now, trigger: .moving).last
        #expect(text(plain).contains(#""isSimulated":true"#))
    }

    @Test func plainFormIsTheWires() throws {
        let location = try fullLocation()
        let message = try writer {
            $0.ownTracks = false
            $0.plain = true
        }.messages(of: location, age: 0, now: now, trigger: .moving).first
        #expect(message?.topic == "locationd/anna/boat-1/location")
        let decoded = try JSONDecoder().decode(Location.self, from: Data(message?.payload ?? []))
        #expect(decoded.coordinate == location.coordinate && decoded.sequence == 42 && decoded.speed == 13.9)
    }

    @Test func sameFixHasTheSameIdentifierInEveryProcess() throws {
        let location = try fullLocation()
        let first = try writer().identifier(of: location, age: 0, now: now)
        let later = try writer().identifier(of: location, age: 9, now: UTCTime(seconds: now.seconds + 9))
        #expect(first == later && first.description == "ab-69a42a40-2a")
        #expect(first.event("enter", at: "harbour").description == "ab-69a42a40-2a-fb9da09e")
        #expect(first.event("leave", at: "harbour") != first.event("enter", at: "harbour"))
    }

    @Test func transitionHasWhatOwnTracksRequires() throws {
        var location = try fullLocation()
        location.horizontalAccuracy = nil
        let message = try writer().transition(
            .enter, region: "Hafen \"Süd\"", at: location, age: 0, now: now, regionTime: 7)
        #expect(message?.topic == "owntracks/anna/boat-1/event")
        #expect(message?.isRetained == false && message?.kind == .event)
        let object = try JSONSerialization.jsonObject(with: Data(message?.payload ?? [])) as? [String: Any]
        #expect(object?["_type"] as? String == "transition" && object?["event"] as? String == "enter")
        #expect(object?["desc"] as? String == "Hafen \"Süd\"")
        #expect(
            object?["acc"] as? Int == 100 && object?["wtst"] as? Int == 7 && object?["tst"] as? Int == 1_772_366_400)
    }

    @Test func lastWillDoesNotReplaceTheLastLocation() throws {
        let will = try writer().will(now: now)
        #expect(will?.topic == "owntracks/anna/boat-1" && will?.isRetained == false)
        #expect(text(will) == #"{"_type":"lwt","tst":1772366400}"#)
        #expect(try writer { $0.ownTracks = false }.will(now: now) == nil)
    }

    @Test func homeAssistantFindsTheTracker() throws {
        let writer = try writer { $0.homeAssistantPrefix = "homeassistant" }
        let announcement = try #require(writer.announcements(version: "1.2").first)
        #expect(announcement.topic == "homeassistant/device_tracker/locationd_anna_boat_1/config")
        #expect(announcement.isRetained && announcement.kind == .state)
        #expect(
            text(announcement)
                == #"{"default_entity_id":"device_tracker.locationd_anna_boat_1","#
                + #""device":{"identifiers":["locationd_anna_boat_1"],"manufacturer":"locationd","name":"anna boat-1"},"#
                + #""json_attributes_topic":"locationd/anna/boat-1/attributes","name":null,"#
                + #""object_id":"locationd_anna_boat_1","origin":{"name":"locationd-fleet","sw_version":"1.2"},"#
                + #""source_type":"gps","unique_id":"locationd_anna_boat_1"}"#)
        let attributes = try writer.messages(of: fullLocation(), age: 0, now: now, trigger: .moving).last
        #expect(attributes?.topic == "locationd/anna/boat-1/attributes" && attributes?.kind == .state)
        let object = try JSONSerialization.jsonObject(with: Data(attributes?.payload ?? [])) as? [String: Any]
        #expect(object?["gps_accuracy"] as? Double == 4.2 && object?["latitude"] as? Double == 52.516_272_349)
    }

    /// A name with a wildcard, or a level of its own, would be another topic.
    @Test(arguments: ["", "a/b", "+", "#", "a b", "ä", "a\u{0}b", "$SYS\n", String(repeating: "a", count: 65)])
    func namesAreOneLevelOfATopic(name: String) {
        #expect(FleetDevice(user: name, device: "boat") == nil)
        #expect(FleetDevice(user: "anna", device: name) == nil)
    }

    @Test func trackerIDIsTheDevicesEnd() {
        #expect(FleetDevice(user: "anna", device: "boat")?.trackerID == "at")
        #expect(FleetDevice(user: "anna", device: "x")?.trackerID == "x")
        #expect(FleetDevice(user: "anna", device: "boat", trackerID: "B7")?.trackerID == "B7")
        #expect(FleetDevice(user: "anna", device: "boat", trackerID: "B77") == nil)
    }
}
