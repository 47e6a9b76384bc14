import ArgumentParser
import Logging
import Testing

@testable import DaemonConfiguration

@Suite struct ApplyingFlagsTests {
    private let configured: Configuration

    init() throws {
        configured = try configuration(
            of: """
                [limits]
                clients = 5
                [[sources]]
                kind = "gpsd"
                name = "roof"
                host = "roof.example"
                device = "/dev/ttyUSB0"
                silence-timeout = 9
                [[sources]]
                kind = "simulator"
                name = "dream"
                rate = 10
                """)
    }

    private func applying(_ arguments: String...) throws -> Configuration {
        try configured.applying(Flags.parse(arguments))
    }

    @Test func noFlagChangesNothing() throws {
        #expect(try applying("--config", "x", "--check-config") == configured)
    }

    @Test func logLevelReplacesTheConfiguredOne() throws {
        var expected = configured
        expected.service.logLevel = .critical
        #expect(try applying("--log-level", "critical") == expected)
    }

    @Test func gpsdReplacesTheSourcesAndKeepsTheTimeout() throws {
        var gpsd = Configuration.GPSD()
        gpsd.host = "other.example"
        gpsd.port = 4000
        gpsd.silenceTimeout = 9
        var expected = configured
        expected.sources = [.init(gpsd)]
        #expect(try applying("--gpsd", "other.example:4000") == expected)
    }

    @Test func simulateTakesTheConfiguredSimulator() throws {
        #expect(try applying("--simulate").sources == [configured.sources[1]])
    }

    @Test func simulateTakesADefaultOneWhereNoneIsConfigured() throws {
        let flags = try Flags.parse(["--simulate"])
        #expect(Configuration().applying(flags).sources == [.init(Configuration.Simulator())])
    }

    @Test func replayReplacesTheSources() throws {
        #expect(try applying("--replay", "trip.jsonl").sources == [.init(Configuration.Replay(file: "trip.jsonl"))])
    }
}
