import Foundation
@_spi(Programs) import LocationModel
import Logging
import ProgramTestSupport
import ServiceKit
import Testing

@testable import DaemonConfiguration

@Suite struct LoadTests {
    let directory: TemporaryFolder

    init() throws { directory = try TemporaryFolder() }

    private func load(_ path: String?, _ environment: [String: String] = [:]) throws -> Configuration {
        try Configuration.load(
            path: path, defaultPath: directory.path + "/locationd.toml", environment: environment)
    }

    private func message(_ path: String?, _ environment: [String: String] = [:]) throws -> String {
        let error = #expect(throws: ConfigurationError.self) { try load(path, environment) }
        return try #require(error).description
    }

    @Test func missingDefaultFileMeansDefaults() throws {
        #expect(try load(nil) == Configuration())
    }

    @Test func dropInsApplyWithoutTheFileTheyAddTo() throws {
        try directory.write("[limits]\nclients = 7", to: "conf.d/one.toml")
        #expect(try load(nil).limits.clients == 7)
    }

    @Test func missingNamedFileIsAnError() throws {
        let path = directory.path + "/absent.toml"
        #expect(try message(path) == "\(path): does not exist; check the path after --config")
    }

    @Test func laterFilesWinKeyByKey() throws {
        try directory.write("[limits]\nclients = 1\nrequest-size = 2048", to: "locationd.toml")
        try directory.write("[limits]\nclients = 3", to: "conf.d/20.toml")
        try directory.write("[limits]\nclients = 2\nclients-per-user = 5", to: "conf.d/10.toml")
        try directory.write("[limits]\nclients = 4", to: "conf.d/.hidden.toml")
        try directory.write("[limits]\nclients = 4", to: "conf.d/30.toml.bak")
        let limits = try load(nil).limits
        #expect(limits.clients == 3)
        #expect(limits.clientsPerUser == 5)
        #expect(limits.requestSize == 2048)
    }

    @Test func additionalSourcesFollowTheList() throws {
        let additional = "[[additional-sources]]\nkind = \"provider\"\nname = "
        try directory.write(additional + "\"b\"\nsocket = \"/b\"", to: "conf.d/50.toml")
        try directory.write(additional + "\"a\"\nsocket = \"/a\"", to: "conf.d/60.toml")
        #expect(try load(nil).sources.map(\.name) == ["gpsd", "b", "a"])
        try directory.write("[[sources]]\nkind = \"simulator\"", to: "conf.d/70.toml")
        #expect(try load(nil).sources.map(\.name) == ["simulator", "b", "a"])
    }

    /// Who names one of a package's sources in the list gives it its rank there.
    @Test func additionalSourceOfANameInTheListIsLeftOut() throws {
        try directory.write(
            "[[sources]]\nkind = \"static\"\nname = \"a\"\nlatitude = 1\nlongitude = 2\n[[sources]]\nkind = \"gpsd\"",
            to: "locationd.toml")
        try directory.write(
            "[[additional-sources]]\nkind = \"provider\"\nname = \"a\"\nsocket = \"/a\"", to: "conf.d/50.toml")
        let sources = try load(nil).sources
        #expect(sources.map(\.name) == ["a", "gpsd"] && sources[0].kind is Configuration.FixedPosition)
    }

    @Test func laterSourcesReplaceTheList() throws {
        try directory.write(
            "[[sources]]\nkind = \"gpsd\"\n[[sources]]\nkind = \"simulator\"", to: "locationd.toml")
        try directory.write("[[sources]]\nkind = \"gpsd\"\nport = 1", to: "conf.d/a.toml")
        try directory.write("[delivery]\nlinger = 1", to: "conf.d/b.toml")
        let configuration = try load(nil)
        var gpsd = Configuration.GPSD()
        gpsd.port = 1
        #expect(configuration.sources == [.init(gpsd)])
        #expect(configuration.hub.linger == 1)
    }

    @Test func aMistakeIsOneEvenWhereALaterFileOverridesIt() throws {
        let path = try directory.write("[limits]\n\nclients = 0", to: "locationd.toml")
        try directory.write("[limits]\nclients = 3", to: "conf.d/a.toml")
        #expect(
            try message(nil) == "\(path):3: limits.clients: 0 is out of range; use an integer from 1 to 65536")
    }

    @Test func aMistakeInADropInNamesTheDropIn() throws {
        let path = try directory.write("[limits]\nclients = 'x'", to: "conf.d/a.toml")
        #expect(try message(nil).hasPrefix("\(path):2: limits.clients: is text"))
    }

    @Test func directoryIsAnError() throws {
        #expect(try message(directory.path) == "\(directory.path): is a directory; name a file")
    }

    @Test func fifoIsAnErrorAndHoldsNobodyUp() throws {
        let path = directory.path + "/fifo"
        #expect(mkfifo(path, 0o600) == 0)
        #expect(try message(path) == "\(path): is not a regular file; name a regular file")
    }

    @Test func danglingDropInIsAnError() throws {
        try directory.write("", to: "conf.d/a.toml")
        let path = directory.path + "/conf.d/b.toml"
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/nonexistent")
        #expect(try message(nil) == "\(path): is a dangling link; repair or remove the link")
    }

    @Test func dropInsThatCannotBeFoundAreAnError() throws {
        let path = directory.path + "/conf.d"
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/nonexistent")
        #expect(
            try message(nil) == "\(path): cannot be opened: No such file or directory; "
                + "make it a directory that the daemon's user can read")
    }

    @Test func tooLargeIsAnError() throws {
        let path = try directory.write(String(repeating: "#\n", count: 524_289), to: "locationd.toml")
        #expect(try message(nil).hasPrefix("\(path): is larger than 1048576 bytes"))
        try directory.write(String(repeating: "#\n", count: 524_288), to: "locationd.toml")
        #expect(try load(nil) == Configuration())
    }

    @Test func notUTF8IsAnErrorWithItsLine() throws {
        let path = try directory.write(Data("# caf\u{e9}\n# ".utf8) + [0xE9, 0x0A], to: "locationd.toml")
        #expect(try message(nil) == "\(path):2: is not UTF-8; save it with that encoding")
    }

    @Test(.enabled(if: geteuid() != 0, "root may read everything"))
    func notReadableIsAnError() throws {
        let path = try directory.write("", to: "locationd.toml")
        #expect(chmod(path, 0) == 0)
        #expect(try message(nil) == "\(path): cannot be opened: Permission denied; let the daemon's user read it")
    }

    @Test func pathThroughAFileIsAnError() throws {
        let path = try directory.write("", to: "locationd.toml") + "/more.toml"
        #expect(try message(path).hasPrefix("\(path): cannot be opened: Not a directory"))
    }

    @Test func newlineInAFileNameStaysOnTheLine() throws {
        let path = directory.path + "/a\nb.toml"
        #expect(try message(path).hasPrefix("\(directory.path)/a\\u{a}b.toml: does not exist"))
    }

    @Test func everyFormOfANumberIsAccepted() throws {
        try directory.write(
            "[delivery]\nlinger = 7\nstale-after = 1e1\nrefresh-interval = 0x0A\n[limits]\nclients = 1_000",
            to: "locationd.toml")
        let configuration = try load(nil)
        #expect(configuration.hub.linger == 7)
        #expect(configuration.hub.staleAfter == 10)
        #expect(configuration.hub.refreshInterval == 10)
        #expect(configuration.limits.clients == 1000)
    }

    @Test func aDropInCanTurnOffWhatTheFileTurnedOn() throws {
        try directory.write("[delivery]\nrefresh-interval = 300", to: "locationd.toml")
        #expect(try load(nil).hub.refreshInterval == 300)
        try directory.write("[delivery]\nrefresh-interval = \"off\"", to: "conf.d/a.toml")
        #expect(try load(nil).hub.refreshInterval == nil)
    }

    @Test func environmentWinsOverFiles() throws {
        try directory.write(
            """
            [service]
            log-level = "error"
            [[sources]]
            kind = "simulator"
            [[sources]]
            kind = "gpsd"
            device = "/dev/ttyUSB0"
            silence-timeout = 7
            """, to: "locationd.toml")
        let configuration = try load(
            nil, ["LOCATIOND_GPSD": "[::1]:2948", "LOCATIOND_LOG_LEVEL": "debug", "LOCATIOND_OTHER": "x"])
        var gpsd = Configuration.GPSD()
        gpsd.host = "::1"
        gpsd.port = 2948
        gpsd.silenceTimeout = 7
        #expect(configuration.sources == [.init(gpsd)])
        #expect(configuration.service.logLevel == .debug)
        #expect(try load(nil, ["LOCATIOND_GPSD": "", "LOCATIOND_LOG_LEVEL": ""]) == load(nil))
    }

    @Test func mistakesInTheEnvironmentNameTheVariable() throws {
        #expect(
            try message(nil, ["LOCATIOND_LOG_LEVEL": "debgu"])
                == "environment: LOCATIOND_LOG_LEVEL: \"debgu\" is not a choice; did you mean \"debug\"?")
        #expect(
            try message(nil, ["LOCATIOND_GPSD": "host:0"])
                == "environment: LOCATIOND_GPSD: \"0\" is not a port; use an integer from 1 to 65535 after the colon")
    }
}
