@_spi(Programs) import LocationInterface
import LocationModel
import Testing
import Varlink

@testable import locationd_nearby

/// What is to be forgotten, as `Forget` says it.
@Suite struct PlaceSelectionTests {
    private func selection(
        _ change: (inout NearbyInterface.ForgetRequest) -> Void
    ) throws(ErrorReply) -> PlaceSelection {
        var request = NearbyInterface.ForgetRequest()
        change(&request)
        return try PlaceSelection(request)
    }

    @Test func daysAndCircleAreTaken() throws {
        let selection = try selection { request in
            (request.latitude, request.longitude, request.distance) = (52.5, 13.4, 100)
            (request.since, request.until) = (UTCTime(seconds: 86_399), UTCTime(seconds: 2 * 86_400))
        }
        let center = try #require(Coordinate(latitude: 52.5, longitude: 13.4))
        #expect(selection.circle == .init(center: center, radius: 100))
        #expect(selection.since == 0 && selection.until == 2)
        #expect(try self.selection { _ in } == PlaceSelection())
    }

    @Test(arguments: 0..<4)
    func mistakesAreRefused(number: Int) {
        #expect(throws: ErrorReply.self) {
            try selection { request in
                switch number {
                case 0: request.distance = 100
                case 1: (request.latitude, request.longitude, request.distance) = (91, 13.4, 100)
                case 2: (request.latitude, request.longitude, request.distance) = (52.5, 13.4, 0)
                default: (request.since, request.until) = (UTCTime(seconds: 86_400), UTCTime(seconds: 86_399))
                }
            }
        }
    }
}
