import Foundation
@_spi(Programs) import LocationModel
import Testing

/// Requests as they go over the wire, and what the service does not accept.
struct ClientRequestTests {
    private func json(_ request: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(request), as: UTF8.self)
    }

    private func decoded<Request: ClientRequest>(_ text: String, as type: Request.Type = Request.self) throws -> Request
    {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }

    @Test func optionsThatHaveTheirDefaultsAreLeftOut() throws {
        #expect(try json(WatchRequest()) == "{}")
        #expect(try json(LocationRequest()) == "{}")
        #expect(try json(MonitorRequest()) == "{}")
        #expect(try decoded("{}", as: WatchRequest.self) == WatchRequest())
        #expect(try decoded("{}", as: LocationRequest.self) == LocationRequest())
        #expect(try decoded("{}", as: MonitorRequest.self) == MonitorRequest())
    }

    @Test func defaultsMayBeWrittenOut() throws {
        let text = #"{"location":true,"heading":false,"satellites":null,"passive":false,"everySource":false}"#
        #expect(try decoded(text) == WatchRequest())
    }

    @Test func optionsThatDifferAreWritten() throws {
        var request = WatchRequest()
        (request.location, request.heading, request.everySource) = (false, true, true)
        let text = #"{"everySource":true,"heading":true,"location":false}"#
        #expect(try json(request) == text)
        #expect(try decoded(text) == request)
    }

    @Test func optionOfAWrongTypeIsNamed() {
        let options = [
            "location", "heading", "satellites", "passive", "everySource", "pausesAutomatically", "reducedAccuracy",
            "estimate",
        ]
        for option in options {
            let error = #expect(throws: DecodingError.self) { try decoded("{\"\(option)\":1}", as: WatchRequest.self) }
            guard case .typeMismatch(_, let context) = error else {
                Issue.record("\(option) has a wrong type")
                continue
            }
            #expect(context.codingPath.map(\.stringValue) == [option])
        }
    }

    @Test func monitorWithoutSubjectsAsksForWhatIsPersisted() throws {
        #expect(try decoded(#"{"name":"walk"}"#, as: MonitorRequest.self).subjects == nil)
        let empty = MonitorRequest(name: "walk", subjects: MonitorSubjects())
        #expect(try json(empty) == #"{"name":"walk","regions":[]}"#)
        #expect(try decoded(json(empty), as: MonitorRequest.self) == empty)
        #expect(try decoded(#"{"visits":false}"#, as: MonitorRequest.self).subjects == MonitorSubjects())
    }

    @Test(arguments: [
        ("distanceFilter", WatchRequest.changed { $0.distanceFilter = -1 }),
        ("desiredAccuracy", WatchRequest.changed { $0.desiredAccuracy = 0 }),
        ("desiredAccuracy", WatchRequest.changed { $0.desiredAccuracy = .infinity }),
        ("desiredAccuracy", WatchRequest.changed { ($0.desiredAccuracy, $0.passive) = (5, true) }),
        ("desiredAccuracy", WatchRequest.changed { ($0.desiredAccuracy, $0.location) = (5, false) }),
        ("pausesAutomatically", WatchRequest.changed { ($0.pausesAutomatically, $0.passive) = (true, true) }),
        ("pausesAutomatically", WatchRequest.changed { ($0.pausesAutomatically, $0.satellites) = (true, true) }),
        ("pausesAutomatically", WatchRequest.changed { ($0.pausesAutomatically, $0.location) = (true, false) }),
        ("estimate", .changed { ($0.estimate, $0.location) = (true, false) }),
        ("estimate", .changed { ($0.estimate, $0.everySource) = (true, true) }),
        ("minimumInterval", .changed { $0.minimumInterval = .infinity }),
        ("requiredAccuracy", .changed { $0.requiredAccuracy = .nan }),
        ("requiredAccuracy", .changed { $0.requiredAccuracy = 0 }),
        ("requiredAccuracy", .changed { $0.requiredAccuracy = -1 }),
        ("maximumUpdates", .changed { $0.maximumUpdates = 0 }),
        ("interval", .changed { $0.interval = 0 }),
        ("interval", .changed { $0.interval = -1 }),
        ("interval", .changed { $0.interval = .nan }),
        ("interval", .changed { $0.interval = 31_536_000.5 }),
        ("interval", .changed { ($0.interval, $0.passive) = (60, true) }),
        ("interval", .changed { ($0.interval, $0.location) = (60, false) }),
        ("interval", .changed { ($0.interval, $0.heading) = (60, true) }),
        ("interval", .changed { ($0.interval, $0.satellites) = (60, true) }),
        ("maximumDelay", .changed { $0.maximumDelay = 0 }),
        ("maximumDelay", .changed { $0.maximumDelay = -1 }),
        ("maximumDelay", .changed { $0.maximumDelay = .nan }),
        ("maximumDelay", .changed { $0.maximumDelay = 3600.5 }),
        ("maximumDelay", .changed { ($0.maximumDelay, $0.location) = (60, false) }),
        ("maximumDelay", .changed { ($0.maximumDelay, $0.heading) = (60, true) }),
        ("maximumDelay", .changed { ($0.maximumDelay, $0.satellites) = (60, true) }),
        ("duration", .changed { $0.duration = 0 }),
        ("duration", .changed { $0.duration = .nan }),
        ("headingFilter", .changed { ($0.heading, $0.headingFilter) = (true, 180.5) }),
        ("headingFilter", .changed { ($0.heading, $0.headingFilter) = (true, -1) }),
        ("headingFilter", .changed { ($0.heading, $0.headingFilter) = (true, .nan) }),
        ("headingFilter", .changed { $0.headingFilter = 5 }),
        ("purpose", .changed { $0.purpose = String(repeating: "a", count: 257) }),
    ])
    func memberThatIsNotAcceptedIsNamed(_ field: String, _ request: WatchRequest) {
        #expect(#expect(throws: InvalidField.self) { try request.validated() }?.field == field)
    }

    /// No location is exact, so it would be waited for in vain.
    @Test(arguments: [0, -0.0, -1, .nan, .infinity])
    func anAccuracyThatNoLocationHasIsRefused(_ accuracy: Double) throws {
        let refusal = #expect(throws: InvalidField.self) { try LocationRequest(requiredAccuracy: accuracy).validated() }
        #expect(refusal?.field == "requiredAccuracy")
        #expect(refusal?.reason == "metres, more than 0")
        var watch = WatchRequest()
        watch.requiredAccuracy = accuracy
        #expect(#expect(throws: InvalidField.self) { try watch.validated() }?.reason == "metres, more than 0")
    }

    @Test func whatIsAtTheLimitIsAccepted() throws {
        var request = WatchRequest()
        (request.distanceFilter, request.minimumInterval, request.requiredAccuracy) = (0, 0, .leastNonzeroMagnitude)
        (request.heading, request.headingFilter) = (true, 180)
        (request.maximumUpdates, request.purpose) = (1, String(repeating: "a", count: 256))
        #expect(try request.validated() == request)
        #expect(try LocationRequest(timeout: 86_400).validated().timeout == 86_400)
        #expect(throws: InvalidField.self) { try LocationRequest(timeout: 86_401).validated() }
    }
}

extension WatchRequest {
    fileprivate static func changed(_ change: (inout WatchRequest) -> Void) -> WatchRequest {
        var request = WatchRequest()
        change(&request)
        return request
    }
}
