import AccessPoints
import Foundation
import LocationModel
import Testing

@testable import HTTPRequests
@testable import locationd_nearby

/// A request to a service on the network, and what its answers mean.
@Suite struct GeolocateTests {
    private func answer(_ body: String, status: Int = 200, type: String = "application/json") -> HTTPAnswer {
        HTTPAnswer(status: status, contentType: type, redirection: nil, retryAfter: nil, body: Array(body.utf8))
    }

    private func outcome(_ answer: HTTPAnswer) -> OnlinePace.Outcome? {
        do throws(GeolocateAnswer.Failure) {
            _ = try GeolocateAnswer(answer)
            return nil
        } catch {
            return error.outcome
        }
    }

    /// Addresses and signals, and no name; nothing of who does not want to be mapped; never by the machine's address.
    @Test func requestHasAddressesAndSignalsAlone() throws {
        let observation = observation([received(1), received(2, signal: -70.4), received(3, network: "x_nomap")])
        let json = try JSONSerialization.jsonObject(with: Data(GeolocateRequest(observation).json()))
        let expected: NSDictionary = [
            "considerIp": false, "fallbacks": ["lacf": false, "ipf": false],
            "wifiAccessPoints": [
                ["macAddress": "00:1a:00:00:01:00", "signalStrength": -65],
                ["macAddress": "00:1a:00:00:02:00", "signalStrength": -70],
            ],
        ]
        #expect(json as? NSDictionary == expected)
    }

    @Test func placeIsRead() throws {
        let found = try GeolocateAnswer(answer(#"{"location": {"lat": 52.5, "lng": 13.4}, "accuracy": 40}"#))
        #expect(found.coordinate == Coordinate(latitude: 52.5, longitude: 13.4) && found.accuracy == 40)
    }

    /// A service is believed no more than the machine's own answers.
    @Test(arguments: [(0.03, 10), (1e-300, 10), (10, 10), (10.5, 10.5)])
    func accuracyIsTenMetresAtLeast(stated: Double, read: Double) throws {
        let body = #"{"location": {"lat": 52.5, "lng": 13.4}, "accuracy": \#(stated)}"#
        #expect(try GeolocateAnswer(answer(body)).accuracy == read)
    }

    @Test(arguments: [
        (200, #"{"location": {"lat": 52.5, "lng": 13.4}, "accuracy": 25000}"#, OnlinePace.Outcome.unknown),
        (200, #"{"location": {"lat": 52.5, "lng": 13.4}, "accuracy": 40, "fallback": "ipf"}"#, .unknown),
        (200, #"{"location": {"lat": 91, "lng": 13.4}, "accuracy": 40}"#, .failed),
        (200, #"{"location": {"lat": 52.5, "lng": 13.4}, "accuracy": 0}"#, .failed),
        (200, #"{"location": {"lat": 52.5}}"#, .failed), (200, "<html>", .failed), (200, "", .failed),
        (404, #"{"error": {"code": 404, "message": "Not found"}}"#, .unknown),
        (403, "", .refused), (401, "", .refused), (400, "", .refused), (301, "", .refused),
        (429, "", .held(seconds: 3600)), (503, "", .failed), (500, "", .failed),
    ])
    func othersAreNoPlace(status: Int, body: String, outcome expected: OnlinePace.Outcome) {
        #expect(outcome(answer(body, status: status)) == expected)
    }

    @Test func serviceSaysHowLongToWait() {
        var busy = answer("", status: 503)
        busy.retryAfter = 90
        #expect(outcome(busy) == .held(seconds: 90))
        busy.retryAfter = 1e9
        #expect(outcome(busy) == .held(seconds: 86_400))
    }

    @Test func otherTypesAreNotRead() {
        let place = #"{"location": {"lat": 52.5, "lng": 13.4}, "accuracy": 40}"#
        #expect(outcome(answer(place, type: "text/html")) == .failed)
    }
}
