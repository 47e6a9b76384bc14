import ArgumentParser
import Bridge
import Logging
import ProgramTestSupport
import ServiceKit
import Testing

@testable import locationd_bridge

/// What the bridge makes of its command line, and which keys of the configuration it replaces.
@Suite struct BridgeFlagsTests {
    @Test func commandLineIsRead() throws {
        let usual = try BridgeFlags.parse([])
        #expect(
            usual.service.configurationPath == nil && usual.daemon == nil && usual.gpsd.isEmpty
                && usual.gpsdSocket == nil)
        #expect(usual.service.logLevel == nil && !usual.service.checksConfiguration && !usual.showsVersion)
        let flags = try BridgeFlags.parse([
            "--config", "/a", "--check-config", "--daemon=/b", "--gpsd", "127.0.0.1:2947", "--gpsd", "[::1]:2947",
            "--gpsd-socket", "/c", "--log-level=debug",
        ])
        #expect(flags.service.configurationPath == "/a" && flags.daemon == "/b" && flags.gpsdSocket == "/c")
        #expect(flags.gpsd.map(\.description) == ["127.0.0.1:2947", "[::1]:2947"])
        #expect(flags.service.logLevel == .debug && flags.service.checksConfiguration)
        #expect(try BridgeFlags.parse(["--version"]).showsVersion)
    }

    @Test(
        arguments: [
            (["--gpds", "/b"], "Unknown option '--gpds'. Did you mean '--gpsd'? See"),
            (["bridge"], "Unexpected argument 'bridge'; see"),
            (["--gpsd-socket"], "Missing value for '--gpsd-socket <path>'; see"),
            (
                ["--gpsd", "0.0.0.0:2947"],
                "The value '0.0.0.0:2947' is invalid for '--gpsd <host:port>': use \(LoopbackAddress.accepted): "
                    + "others could not be identified; see"
            ),
        ])
    func wrongCommandLinesSayWhatToDo(arguments: [String], reason: String) throws {
        let error = #expect(throws: (any Error).self) { _ = try BridgeFlags.parse(arguments) }
        #expect(try BridgeFlags.mistake(#require(error)) == "\(reason) locationd-bridge --help")
    }

    private func configuration(_ arguments: String...) throws -> BridgeConfiguration {
        var configuration = try bridgeConfiguration(
            of: """
                [service]
                log-level = "error"
                daemon = "/file/control.sock"
                [gpsd]
                listen = ["127.0.0.1:1"]
                socket = "/file/gpsd.sock"
                """)
        configuration.apply(try BridgeFlags.parse(arguments))
        return configuration
    }

    @Test func flagsReplaceTheirKeys() throws {
        let file = try configuration()
        #expect(file.service.logLevel == .error && file.service.daemon == "/file/control.sock")
        #expect(file.gpsd.listen.map(\.port) == [1] && file.gpsd.socket == "/file/gpsd.sock")
        let flags = try configuration("--daemon", "/b", "--log-level", "debug")
        #expect(flags.service.logLevel == .debug && flags.service.daemon == "/b")
        #expect(flags.gpsd == file.gpsd)
    }

    /// Who starts it by hand gets the listeners that are named, and no other that might not be to be had.
    @Test func listenersOfFlagsReplaceAllOfTheFile() throws {
        let address = try configuration("--gpsd", "127.0.0.1:2").gpsd
        #expect(address.listen.map(\.port) == [2] && address.socket == nil)
        let socket = try configuration("--gpsd-socket", "/c").gpsd
        #expect(socket.listen.isEmpty && socket.socket == "/c")
        let geoClue = try configuration("--geoclue")
        #expect(geoClue.gpsd.listen.isEmpty && geoClue.gpsd.socket == nil && geoClue.geoClue.isEnabled)
    }
}
