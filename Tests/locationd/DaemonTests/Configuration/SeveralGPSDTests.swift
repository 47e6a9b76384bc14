import ArgumentParser
import Testing

@testable import DaemonConfiguration

/// What becomes of several configured gpsd where the command line or the environment names another.
@Suite struct SeveralGPSDTests {
    private static let text = """
        [[sources]]
        kind = "simulator"
        [[sources]]
        kind = "gpsd"
        name = "roof"
        silence-timeout = 9
        [[sources]]
        kind = "gpsd"
        name = "cellar"
        silence-timeout = 300
        """

    @Test func silenceTimeoutIsThatOfTheFirst() throws {
        func timeouts(_ configuration: Configuration) -> [Double?] {
            configuration.sources.map { ($0.kind as? Configuration.GPSD)?.silenceTimeout }
        }
        var configured = try configuration(of: Self.text)
        #expect(timeouts(try configured.applying(Flags.parse(["--gpsd", "other.example"]))) == [9])
        try configured.apply(environment: ["LOCATIOND_GPSD": "other.example"])
        #expect(timeouts(configured) == [9])
    }
}
