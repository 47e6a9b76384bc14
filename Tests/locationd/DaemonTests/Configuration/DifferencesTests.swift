import ServiceKit
import Testing

@testable import DaemonConfiguration

@Suite struct DifferencesTests {
    private func differences(
        _ new: String, from old: String
    ) throws -> Configuration.Differences {
        try configuration(of: new).differences(from: configuration(of: old))
    }

    @Test func sameConfigurationHasNone() throws {
        #expect(try differences("[limits]\nclients = 4096", from: "") == .init())
    }

    @Test func everyKeyIsNamedOnTheRightList() throws {
        let new = """
            [service]
            log-level = "debug"
            [delivery]
            stale-after = 4
            linger = 4
            refresh-interval = 40
            failover-delay = 7
            failover-hysteresis = 4
            [plausibility]
            null-island-radius = 4000
            maximum-speed = 4000
            time-tolerance = 4
            date-tolerance = 4000
            confirmations = 4
            [power]
            minimum-battery = 4
            pause-interval = 400
            [limits]
            clients = 4
            clients-per-user = 4
            request-size = 4000
            stalled-timeout = 4
            requests-per-second = 4
            authorizations-per-user = 4
            regions-per-user = 4
            monitors-per-user = 4
            regions = 4
            [access]
            group = "four"
            [privacy]
            reduced-grid = 4000
            reduced-interval = 400
            history-days = 4
            history-size = 400_000
            [nmea]
            enabled = true
            group = "four"
            [metrics]
            textfile = "/four.prom"
            interval = 4
            """
        let found = try differences(new, from: "")
        let keys = Configuration.keys.filter { $0.table != "sources" }
        #expect(found.reloadable == keys.filter(\.isReloadable).map { "\($0.table).\($0.name)" })
        #expect(found.needingRestart == ["access.group", "privacy.reduced-grid", "nmea.enabled", "nmea.group"])
        #expect(found.reloadable.count + found.needingRestart.count == keys.count)
        #expect(try differences("", from: new) == found)
    }

    @Test func sourcesOfTheSameKindsAndNamesAreComparedKeyByKey() throws {
        let old = "[[sources]]\nkind = \"gpsd\"\n[[sources]]\nkind = \"simulator\"\n"
        #expect(
            try differences(old + "rate = 2\nseed = 3", from: old).reloadable
                == ["sources[1].rate", "sources[1].seed"])
        #expect(
            try differences("[[sources]]\nkind = \"gpsd\"\nport = 1", from: "").reloadable == ["sources[0].port"])
    }

    @Test func fixedAndReplayedSourcesAreComparedToo() throws {
        let fixed = "[[sources]]\nkind = \"static\"\nlatitude = 1\nlongitude = 2\n"
        #expect(try differences(fixed + "altitude = 3", from: fixed).reloadable == ["sources[0].altitude"])
        let replay = "[[sources]]\nkind = \"replay\"\nfile = \"/f\"\n"
        #expect(try differences(replay + "loop = true", from: replay).reloadable == ["sources[0].loop"])
    }

    @Test func otherSourcesDifferAsAWhole() throws {
        #expect(try differences("[[sources]]\nkind = \"simulator\"", from: "").reloadable == ["sources"])
        #expect(try differences("[[sources]]\nkind = \"gpsd\"\nname = \"x\"", from: "").reloadable == ["sources"])
        let two = "[[sources]]\nkind = \"gpsd\"\n[[sources]]\nkind = \"simulator\""
        #expect(try differences(two, from: "").reloadable == ["sources"])
    }
}
