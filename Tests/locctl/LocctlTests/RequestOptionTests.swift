import ArgumentParser
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Testing
import Varlink

@testable import locctl

/// Each member of a request is in the interface's description, and is an option of `locctl` or has a reason not to be
/// one.
struct RequestOptionTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let method: String
        let members: Set<String>
        let command: any ParsableCommand.Type
        /// The command's names of the members whose options have other names.
        let options: [String: String]
        /// The members without an option, and the reasons.
        let exceptions: [String: String]

        var testDescription: String { method }
    }

    static let cases = [
        Case(
            method: "Watch", members: members(of: WatchRequest()), command: WatchLocationsCommand.self,
            options: [
                "distanceFilter": "distance", "minimumInterval": "interval", "requiredAccuracy": "accuracy",
                "maximumUpdates": "count", "interval": "every",
                "maximumDelay": "max-delay",
            ],
            exceptions: [
                "location": "a command that follows the position always asks for it",
                "library": "the command states its own",
            ]),
        Case(
            method: "GetLocation", members: members(of: LocationRequest()), command: GetCommand.self,
            options: ["maximumAge": "max-age", "requiredAccuracy": "accuracy"], exceptions: [:]),
        Case(
            method: "Monitor",
            members: members(of: MonitorRequest()).subtracting(["subjects"]).union(members(of: MonitorSubjects())),
            command: MonitorRegionCommand.self, options: ["regions": "geojson"],
            exceptions: [
                "significantChange": "the command is about regions", "visits": "the command is about regions",
                "library": "the command states its own",
            ]),
    ]

    /// A property wrapper's storage has the property's name behind an underscore.
    private static func members(of request: Any) -> Set<String> {
        Set(Mirror(reflecting: request).children.compactMap(\.label).map { String($0.drop { $0 == "_" }) })
    }

    @Test(arguments: cases) func membersAreTheParametersOfTheInterface(_ request: Case) throws {
        let text = LocationInterface.description.text
        let begin = try #require(text.firstRange(of: "method \(request.method)("))
        let end = try #require(text[begin.upperBound...].firstRange(of: ") ->"))
        // An enumeration's words stand between parentheses and are no parameters.
        let parameters = text[begin.upperBound..<end.lowerBound]
        let names = parameters.split(separator: ",").filter { $0.contains(":") }
            .map { $0.split(separator: ":")[0].filter { !$0.isWhitespace } }
        // A bridge names the program that it serves, and no request of a program's own has that.
        #expect(Set(names).subtracting(["onBehalfOf"]) == request.members)
    }

    @Test(arguments: cases) func memberIsAnOptionOrHasAReasonNotToBe(_ request: Case) {
        let help = request.command.helpMessage(columns: 200)
        for member in request.members {
            let hyphened = member.reduce("") { $0 + ($1.isUppercase ? "-\($1.lowercased())" : "\($1)") }
            let option = request.options[member] ?? hyphened
            let isOption = help.contains("--\(option) ") || help.contains("--\(option)\n")
            #expect(isOption == (request.exceptions[member] == nil), "\(member)")
        }
        #expect(Set(request.options.keys).union(request.exceptions.keys).isSubset(of: request.members))
    }
}
