@_spi(Programs) import LocationModel
import SimulatedSource
import Testing

@Suite struct StaticSourceTests {
    private func tower() throws -> Coordinate { try SimulatedDriveTests.berlin() }

    @Test func saysTheSameOncePerSecond() async throws {
        let source = StaticSource(
            coordinate: try tower(), altitude: 34, horizontalAccuracy: 2, clock: ManualTime(lasting: 5).clock)
        let log = await source.events()
        #expect(log.events.first == .condition(.connected(reason: nil)))
        #expect(log.fixes.map(\.monotonicTime.seconds) == [1000, 1001, 1002, 1003, 1004, 1005])
        let first = try #require(log.fixes.first)
        #expect(log.fixes.allSatisfy(first.saysTheSame))
        #expect(first.coordinate == (try tower()))
        #expect(first.altitude == 34 && first.horizontalAccuracy == 2)
    }

    @Test func measuresNothingAndClaimsNothing() async throws {
        let source = StaticSource(coordinate: try tower(), clock: ManualTime(lasting: 0.5).clock)
        let fix = try #require(await source.events().fixes.first)
        #expect(fix.source == SourceInformation(name: "static", method: .fixedPosition))
        #expect(fix.timestamp == nil && fix.speed == nil && fix.course == nil)
        #expect(fix.horizontalAccuracy == nil && fix.altitude == nil)
        #expect(fix.mode == .twoDimensional)
    }

    @Test func eitherHeightMakesThreeDimensions() async throws {
        let time = ManualTime(lasting: 0.5)
        let sea = StaticSource(coordinate: try tower(), altitude: 0, clock: time.clock)
        let ellipsoid = StaticSource(coordinate: try tower(), ellipsoidalAltitude: 80, clock: time.clock)
        #expect(await sea.events().fixes.first?.mode == .threeDimensional)
        #expect(await ellipsoid.events().fixes.first?.mode == .threeDimensional)
    }

    @Test(arguments: [-1, .nan, .infinity] as [Double])
    func whatIsNoRadiusIsAbsent(_ accuracy: Double) async throws {
        let source = StaticSource(
            coordinate: try tower(), altitude: .nan, horizontalAccuracy: accuracy,
            clock: ManualTime(lasting: 0.5).clock)
        let fix = try #require(await source.events().fixes.first)
        #expect(fix.horizontalAccuracy == nil && fix.altitude == nil)
    }
}
