@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import Testing

@_spi(Programs) @testable import OpenCoreLocation

struct DelegateStateTests {
    private static let undecided = LocationError.unauthorized(.notDetermined, reason: "nobody has decided yet")

    private func location(_ latitude: Double) throws -> Location {
        let coordinate = try #require(Coordinate(latitude: latitude, longitude: 0))
        return Location(
            coordinate: coordinate, monotonicTime: BootInstant(nanoseconds: 0),
            source: SourceInformation(name: "test"))
    }

    /// The pending calls, in words.
    private func calls(_ state: inout DelegateState) -> [String] {
        var words: [String] = []
        while let call = state.next() {
            switch call {
            case .authorization: words.append("authorization")
            case .locations(let locations): words.append("locations \(locations.map(\.coordinate.latitude))")
            case .heading(let heading): words.append("heading \(heading.magneticHeading ?? -1)")
            case .failure(let error): words.append("failure \(CLError(error).code)")
            case .other: words.append("other")
            }
        }
        return words
    }

    @Test func eachKindOfCallIsAtThePlaceOfItsNewest() throws {
        var state = DelegateState()
        state.startUpdating()
        state.startUpdatingHeading()
        state.receive(try location(1), .full)
        state.receive(Heading(magnetic: 10))
        state.receive(.disconnected)
        state.receive(Heading(magnetic: 20))
        state.receive(try location(2), .full)
        #expect(calls(&state) == ["failure locationUnknown", "heading 20.0", "locations [1.0, 2.0]"])
    }

    /// The monitor of changes sees the same outage as the updates.
    @Test func outageIsCountedOnceBesideSignificantChanges() {
        var state = DelegateState()
        state.setChanges(true)
        state.receive(ofChanges: .disconnected)
        state.receive(ofChanges: .disconnected)
        #expect(calls(&state) == ["failure locationUnknown"])
        state.startUpdating()
        state.receive(ofChanges: .disconnected)
        state.receive(.disconnected)
        state.receive(ofChanges: .disconnected)
        #expect(calls(&state) == ["failure locationUnknown"])
        state.receive(.disconnected)
        #expect(calls(&state) == ["failure locationUnknown"])
    }

    @Test func aRequestThatWasRefusedBeforeTheDecisionIsMadeAgainAfterIt() throws {
        var state = DelegateState()
        state.receive(.notDetermined, .full)
        let request = state.startRequest() ?? 0
        #expect(state.endRequest(request, .failure(Self.undecided)) == nil)
        #expect(state.resumeRequest() == nil)
        state.receive(.authorizedWhenInUse, .full)
        #expect(state.resumeRequest() == request)
        #expect(state.resumeRequest() == nil)
        #expect(state.endRequest(request, .success(try location(1))) == nil)
        #expect(calls(&state) == ["authorization", "locations [1.0]"])
    }

    @Test func aDecisionThatOvertakesTheRefusalCountsToo() throws {
        var state = DelegateState()
        let request = state.startRequest() ?? 0
        state.receive(.authorizedAlways, .full)
        #expect(state.resumeRequest() == nil)
        #expect(state.endRequest(request, .failure(Self.undecided)) == request)
    }

    @Test func theAnswerToACancelledRequestIsNotDelivered() throws {
        var state = DelegateState()
        let first = state.startRequest() ?? 0
        state.stopUpdating()
        let second = state.startRequest() ?? 0
        #expect(state.endRequest(first, .success(try location(1))) == nil)
        #expect(calls(&state).isEmpty)
        #expect(state.endRequest(second, .success(try location(2))) == nil)
        #expect(calls(&state) == ["locations [2.0]"])
    }

    @Test func anotherDelegateDoesNotReceiveTheFirstOnesPendingCalls() throws {
        var state = DelegateState()
        state.startUpdating()
        state.receive(.authorizedAlways, .full)
        state.receive(try location(1), .full)
        state.receive(.disconnected)
        state.changeDelegate()
        #expect(calls(&state) == ["authorization"])
    }
}
