@_spi(Programs) import LocationModel
import Testing

@testable import LocationFormats

/// Times for programs that pass over a location without one.
struct StatedTimeTests {
    /// By both clocks at one moment.
    private static let now = (boot: BootInstant(seconds: 130.5), utc: UTCTime(seconds: 1_795_598_366))

    private func stated(_ method: LocationMethod, _ timestamp: UTCTime? = nil, arrived: Double = 100) throws -> UTCTime?
    {
        var location = try Sample.bare(seconds: arrived)
        (location.source.method, location.timestamp) = (method, timestamp)
        return location.statingTime(at: Self.now.boot, utc: Self.now.utc).timestamp
    }

    @Test(arguments: [LocationMethod.fixedPosition, .network])
    func whatNothingMeasuresHasTheMomentOfItsArrival(method: LocationMethod) throws {
        #expect(try stated(method) == UTCTime(seconds: 1_795_598_335, nanoseconds: 500_000_000))
        #expect(try stated(method, arrived: 131) == Self.now.utc, "nothing arrives later than now")
    }

    @Test(arguments: [LocationMethod.gnss, .simulated, .replayed, .unknown])
    func receiverThatHasNoTimeKeepsNone(method: LocationMethod) throws {
        #expect(try stated(method) == nil)
    }

    @Test(arguments: [LocationMethod.fixedPosition, .network, .gnss])
    func timeThatIsKnownStays(method: LocationMethod) throws {
        let time = UTCTime(seconds: 1_000_000_000)
        #expect(try stated(method, time) == time)
    }
}
