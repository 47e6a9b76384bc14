import Foundation
import HTTPRequests
@_spi(Programs) import LocationModel
import Testing

@testable import Fleet

/// What servers are sent of a location, each in its own form.
@Suite struct DestinationReportsTests {
    private let now = UTCTime(seconds: 1_800_000_000)

    private func payload(
        simulated: Bool = false, trigger: OwnTracksLocation.Trigger = .moving, _ change: (inout Location) -> Void
    ) throws -> [UInt8] {
        var location = Location(
            coordinate: try #require(Coordinate(latitude: -33.86, longitude: 151.2094)),
            monotonicTime: BootInstant(seconds: 1),
            source: SourceInformation(name: "gpsd", method: simulated ? .simulated : .gnss))
        location.sequence = 7
        change(&location)
        let device = try #require(FleetDevice(user: "anna", device: "boat"))
        var forms = FleetForms()
        forms.isForDestinations = true
        let message = MessageWriter(device, forms, origin: 5)
            .messages(of: location, age: 0, now: now, trigger: trigger).first
        #expect(message?.audience == [.broker, .destinations])
        return try #require(message).payload
    }

    private func full(_ location: inout Location) {
        (location.horizontalAccuracy, location.altitude, location.verticalAccuracy) = (6.2, -12.6, 9)
        (location.speed, location.course) = (10, 359.96)
    }

    private func form(_ payload: [UInt8], identifier: String = "123") throws -> String {
        FormEncoding.text(of: try #require(DeviceReport(waiting: payload)).osmAndFields(identifier: identifier))
    }

    private func update(_ payload: [UInt8]) throws -> NSDictionary {
        let body = try #require(DeviceReport(waiting: payload)?.homeAssistantUpdate)
        return try #require(JSONSerialization.jsonObject(with: Data(body)) as? NSDictionary)
    }

    @Test func traccarHasKnotsAndDegreesAndWhatIsKnown() throws {
        // 36 km/h.
        #expect(
            try form(payload(full))
                == "id=123&lat=-33.86&lon=151.2094&timestamp=1800000000&speed=19.44&bearing=360.0&altitude=-13.0&accuracy=7.0"
        )
        #expect(
            try form(payload(simulated: true) { _ in }, identifier: "a b&ü=1")
                == "id=a%20b%26%C3%BC%3D1&lat=-33.86&lon=151.2094&timestamp=1800000000&simulated=true")
    }

    @Test func traccarHasTransitionsAsFurtherKeys() throws {
        let text = #"{"_type":"transition","acc":5,"desc":"a=b","event":"leave","lat":1,"lon":2,"tst":1800000000}"#
        #expect(
            try form(Array(text.utf8))
                == "id=123&lat=1.0&lon=2.0&timestamp=1800000000&accuracy=5.0&event=leave&region=a%3Db")
    }

    @Test func homeAssistantHasWholeNumbersAndNoNull() throws {
        #expect(
            try update(payload(full)) == [
                "type": "update_location",
                "data": [
                    "gps": [-33.86, 151.2094], "gps_accuracy": 7, "speed": 10, "course": 360, "altitude": -13,
                ],
            ])
        let body = try #require(DeviceReport(waiting: payload(full))?.homeAssistantUpdate)
        #expect(!String(decoding: body, as: UTF8.self).contains(".0"), "a whole number is written as one")
    }

    @Test func homeAssistantAlwaysHasAnAccuracyThatItCanTake() throws {
        func accuracy(_ value: Double?) throws -> Int? {
            (try update(payload { $0.horizontalAccuracy = value })["data"] as? [String: Any])?["gps_accuracy"] as? Int
        }
        #expect(try accuracy(nil) == 100 && accuracy(0) == 0 && accuracy(0.2) == 1)
        #expect(try accuracy(99_999_999) == 10_000_000)
    }

    @Test func ownTracksDiffersByTheTopicAlone() throws {
        let payload = try payload(full)
        let body = String(decoding: OwnTracksPost.body(payload, user: "ann", device: "van/1"), as: UTF8.self)
        #expect(body.contains(#","tid":"at","topic":"owntracks/ann/van/1","tst":1800000000,"#), "\(body)")
        #expect(
            body.replacing(#","topic":"owntracks/ann/van/1""#, with: "") == String(decoding: payload, as: UTF8.self))
        #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(body.utf8)) }
        // A name can hold whatever JSON escapes.
        let transition =
            #"{"_type":"transition","desc":"\",\"tst\":1","event":"enter","lat":1,"lon":2,"tst":1800000000}"#
        let object = try JSONSerialization.jsonObject(
            with: Data(OwnTracksPost.body(Array(transition.utf8), user: "a", device: "b\"c")))
        #expect((object as? [String: Any])?["topic"] as? String == "owntracks/a/b\"c")
        #expect((object as? [String: Any])?["desc"] as? String == "\",\"tst\":1")
    }

    @Test func answersOfCommandsAreKnown() throws {
        #expect(try OwnTracksPost.isResponse(payload(trigger: .response, full)))
        #expect(try !OwnTracksPost.isResponse(payload(trigger: .moving, full)))
    }

    @Test func commandsAreFoundAmongOtherObjects() {
        func commands(_ text: String) -> [RemoteCommand] { RemoteCommand.commands(in: Array(text.utf8)) }
        let command = #"{"_type":"cmd","action":"reportLocation"}"#
        #expect(commands("[]") == [] && commands("") == [] && commands("{}") == [] && commands("[7, null]") == [])
        #expect(commands(command) == [.reportLocation] && commands("[\(command)]") == [.reportLocation])
        let friend = #"{"_type":"location","lat":1,"lon":2,"tst":3,"action":"status"}"#
        let others = #"{"_type":"cmd","action":"setConfiguration"},{"_type":"cmd"},{"_type":"card"}"#
        #expect(commands("[\(friend),\(others),\(command)]") == [.reportLocation])
        #expect(commands(String(repeating: "[", count: 100_000)) == [])
    }

    @Test func otherMessagesAreNoReports() {
        for text in [#"{"_type":"status","tst":1800000000}"#, #"{"_type":"lwt","tst":1}"#, "", "{}"] {
            #expect(DeviceReport(waiting: Array(text.utf8)) == nil, "\(text)")
        }
    }
}
