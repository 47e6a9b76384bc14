import AccessPoints
import LocationModel
import Testing

@Suite struct LearningPaceTests {
    private func location(_ change: (inout Location) -> Void) throws -> Location {
        var location = Location(
            coordinate: try place(), monotonicTime: BootInstant(seconds: 0),
            source: SourceInformation(name: "receiver", method: .gnss))
        location.horizontalAccuracy = 8
        change(&location)
        return location
    }

    @Test func goodLocationsTeach() throws {
        #expect(try LearningPace.isGood(location { _ in }))
        #expect(try LearningPace.isGood(location { $0.speed = 9 }))
    }

    @Test(arguments: 0..<8)
    func othersTeachNothing(number: Int) throws {
        let location = try location { location in
            switch number {
            case 0: location.horizontalAccuracy = nil
            case 1: location.horizontalAccuracy = 51
            case 2: location.speed = 11
            case 3: location.source.method = .network
            case 4: location.source.method = .fixedPosition
            case 5: location.source.isSimulated = true
            case 6: location.implausibility = .jump
            default: location.augmentation = .deadReckoning
            }
        }
        #expect(!LearningPace.isGood(location))
    }

    @Test func oneTeachesEachTenSecondsOrTenMetres() throws {
        var pace = LearningPace()
        #expect(try pace.admit(place(), at: BootInstant(seconds: 0)))
        #expect(try !pace.admit(place(east: 9), at: BootInstant(seconds: 9)))
        #expect(try pace.admit(place(east: 11), at: BootInstant(seconds: 9)))
        #expect(try !pace.admit(place(east: 11), at: BootInstant(seconds: 18)))
        #expect(try pace.admit(place(east: 11), at: BootInstant(seconds: 19)))
    }

    /// What a receiver says standing still is no reason to scan; a new place is.
    @Test func scansAreWantedAtNewPlacesAndNowAndThen() throws {
        var pace = LearningPace()
        #expect(try pace.wantsScan(at: place(), BootInstant(seconds: 0)))
        #expect(try pace.admit(place(), at: BootInstant(seconds: 0)))
        #expect(try !pace.wantsScan(at: place(east: 29), BootInstant(seconds: 599)))
        #expect(try pace.wantsScan(at: place(east: 31), BootInstant(seconds: 1)))
        #expect(try pace.wantsScan(at: place(), BootInstant(seconds: 600)))
    }
}
