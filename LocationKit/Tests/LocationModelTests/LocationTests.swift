@_spi(Programs) import LocationModel
import Testing

@Suite struct LocationTests {
    @Test func ageIsNeverNegative() throws {
        let location = try Location.bare()
        #expect(location.age(at: location.monotonicTime.advanced(bySeconds: 2.5)) == 2.5)
        #expect(location.age(at: location.monotonicTime.advanced(bySeconds: -2.5)) == 0)
    }

    @Test func arrivalAndNumberDoNotMatterToWhatIsSaid() throws {
        let location = try Location.full()
        var later = location
        later.monotonicTime = BootInstant(nanoseconds: 7)
        later.sequence = 99
        #expect(location != later)
        #expect(location.saysTheSame(as: later))
        #expect(later.saysTheSame(as: location))
    }

    @Test(arguments: Location.changes)
    func everyOtherFieldMatters(_ change: LocationChange) throws {
        let location = try Location.full()
        var other = location
        try change.apply(&other)
        #expect(!location.saysTheSame(as: other), "\(change.field)")
    }
}
