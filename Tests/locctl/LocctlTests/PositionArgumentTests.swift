import ArgumentParser
@_spi(Programs) import LocationKit
import Testing

@testable import locctl

/// Positions on the command line, as people type them and as the programs print them.
struct PositionArgumentTests {
    @Test(arguments: [
        ["52.517", "13.389"], ["52.517,", "13.389"], ["52.517,13.389"], ["52.517, 13.389"], ["52.517", ",13.389"],
        ["52.517", ",", "13.389"],
    ])
    func readsOneCommaAfterTheLatitude(words: [String]) throws {
        let wanted = Coordinate(latitude: 52.517, longitude: 13.389)
        #expect(try PositionArgument.coordinate(words) == wanted)
        // The way through the parser, which sees options in what begins with a minus sign.
        let south = ["-" + words[0]] + words.dropFirst()
        let place = try #require(PlaceCommand.parseAsRoot(south) as? PlaceCommand)
        #expect(try PositionArgument.coordinate(place.position) == Coordinate(latitude: -52.517, longitude: 13.389))
    }

    @Test func readsWhatIsPrinted() throws {
        let shown = try #require(Coordinate(latitude: -33.8568, longitude: -151.2153))
        #expect(try PositionArgument.coordinate([Text.coordinate(shown)]) == shown)
    }

    @Test(arguments: [
        ["52.517,,13.389"], [",52.517", "13.389"], ["52.517,", "13.389,"], ["52.517,"], ["52,517", "13,389"],
        ["52.517"], ["52.517;13.389"], ["91,", "0"], ["0,181"], [],
    ])
    func refusesWhatIsNoPairOfDegrees(words: [String]) {
        let error = #expect(throws: ValidationError.self) { try PositionArgument.coordinate(words) }
        #expect(error?.message.contains("such as 52.517 13.389 or 52.517,13.389") == true)
    }

    @Test(arguments: [["52.5,13.4,100"], ["52.5,", "13.4,", "100"], ["52.5,13.4", "100"], ["52.5", "13.4", "100"]])
    func readsACircleAlike(words: [String]) throws {
        #expect(throws: Never.self) { try MonitorRegionCommand.parse(words) }
    }

    @Test(arguments: [["52.5,13.4"], ["52.5,13.4,"], ["52.5,13.4,100,5"], ["52,5", "13,4", "100"]])
    func refusesAnotherNumberOfNumbersForACircle(words: [String]) {
        #expect(throws: (any Error).self) { try MonitorRegionCommand.parse(words) }
    }
}
