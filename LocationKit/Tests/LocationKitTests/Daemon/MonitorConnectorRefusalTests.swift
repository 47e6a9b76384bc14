@_spi(Programs) import LocationInterface
import Testing

@_spi(Programs) @testable import LocationKit

/// A change that the daemon has refused, and what may make it possible.
@Suite struct MonitorConnectorRefusalTests {
    private typealias Script = MonitorScript

    @Test func anotherAuthorizationHasTheChangeTriedAgain() throws {
        var script = Script()
        script.open(try Script.subjects("a"), name: "walk")
        _ = script.setInterest(try Script.subjects("a", "b"), name: "walk")
        _ = script.changeFailed(.tooManyRegions(limit: 1))
        let searching = MonitorReply(status: SharingScript.status(.searching))
        #expect(script.reply(searching).changes.isEmpty, "the limit is the same")
        // Whoever is authorized in another way may have more regions.
        let decided = MonitorReply(status: SharingScript.status(.searching, .authorizedWhenInUse))
        #expect(script.reply(decided).changes.map(\.add) == [[try Script.region("b")]])
    }
}
