import Bridge
import Foundation
import Logging
import ProgramTestSupport
import ServiceKit
import Testing

@testable import locationd_bridge

/// What a text says to the bridge.
func bridgeConfiguration(of text: String) throws(ConfigurationError) -> BridgeConfiguration {
    try BridgeConfiguration(Document(text, origin: "bridge.toml"))
}

/// What the bridge makes of its file, and what is wrong with it.
@Suite struct BridgeConfigurationTests {
    private func mistake(_ text: String) -> String? {
        do {
            _ = try bridgeConfiguration(of: text)
            return nil
        } catch {
            return error.description
        }
    }

    @Test func emptyFileIsTheDefaults() throws {
        let usual = try bridgeConfiguration(of: "")
        #expect(usual == BridgeConfiguration())
        #expect(usual.gpsd.listen.isEmpty && usual.gpsd.socket == nil && usual.service.idleExit == 60)
    }

    @Test func keysAreRead() throws {
        let configuration = try bridgeConfiguration(
            of: """
                [service]
                daemon = "/run/control.sock"
                idle-exit = "off"
                [gpsd]
                listen = ["127.0.0.1:2947", "[::1]:2947"]
                socket = "/run/gpsd.sock"
                clients = 7
                clients-per-user = 3
                stalled-timeout = 5
                [geoclue]
                enabled = true
                """)
        #expect(configuration.geoClue.isEnabled)
        #expect(configuration.service.daemon == "/run/control.sock" && configuration.service.idleExit == nil)
        #expect(configuration.gpsd.listen.map(\.description) == ["127.0.0.1:2947", "[::1]:2947"])
        #expect(configuration.gpsd.socket == "/run/gpsd.sock")
        let limits = configuration.gpsd.limits
        #expect(limits.clients == 7 && limits.clientsPerUser == 3 && limits.stalledTimeout == 5)
    }

    @Test(
        arguments: [
            (
                "[service]\nidle-exit = 0",
                "bridge.toml:2: service.idle-exit: 0 is out of range; use a number from 1 to 86400 (seconds), or \"off\""
            ),
            ("[gpsd]\nclient = 7", "bridge.toml:2: gpsd.client: unknown key; did you mean clients?"),
            ("clients = 7", "bridge.toml:1: clients: unknown key; it belongs to [gpsd]"),
            ("gpsd = 7", "bridge.toml:1: gpsd: is an integer, not a table; write its keys below a line [gpsd]"),
            (
                "[gpsd]\nlisten = \"127.0.0.1:2948\"",
                "bridge.toml:2: gpsd.listen: is text, not a list; use a list of addresses in quotes: "
                    + LoopbackAddress.accepted
            ),
            (
                "[gpsd]\nlisten = [\n  \"127.0.0.1:2948\",\n  2948,\n]",
                "bridge.toml:2: gpsd.listen: has an integer in line 4, not an address; use a list of addresses in quotes: "
                    + LoopbackAddress.accepted
            ),
            (
                "[gpsd]\nlisten = [\"192.0.2.7:2948\"]",
                "bridge.toml:2: gpsd.listen: \"192.0.2.7:2948\" is no address of the loopback interface; use "
                    + "\(LoopbackAddress.accepted): programs of other machines could not be identified"
            ),
            (
                "[gpsd]\nlisten = [\"localhost:2948\", \"127.0.0.1:2948\"]",
                "bridge.toml:2: gpsd.listen: has \"127.0.0.1:2948\" twice; remove one of them"
            ),
            (
                "[gpsd]\nsocket = \"gpsd.sock\"",
                "bridge.toml:2: gpsd.socket: \"gpsd.sock\" is not an absolute path; use an absolute path in quotes"
            ),
        ])
    func mistakesNameTheirLine(text: String, message: String) throws {
        #expect(try #require(mistake(text)).hasPrefix(message))
    }

    @Test(arguments: ["", ":1", "127.0.0.1", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536", "::1:2948", "[::]:2948"])
    func addressesAreOfTheLoopbackInterface(text: String) {
        #expect(LoopbackAddress(text) == nil)
    }

    @Test func fileIsReadOrMissing() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("[gpsd]\nclients = 3", to: "bridge.toml")
        #expect(try BridgeConfiguration.load(path: path).gpsd.limits.clients == 3)
        let error = #expect(throws: ConfigurationError.self) {
            _ = try BridgeConfiguration.load(path: folder("absent.toml"))
        }
        #expect(error?.description.hasSuffix("absent.toml: does not exist; check the path after --config") == true)
    }

    /// The shipped file documents the code: its commented lines are the defaults, and no key is missing.
    @Test func shippedFileIsTheDefaults() throws {
        let file = try ShippedFile(Repository.root.appending(path: "config/bridge.toml"))
        #expect(try bridgeConfiguration(of: file.text) == BridgeConfiguration())
        #expect(try bridgeConfiguration(of: file.uncommented) == BridgeConfiguration())
        #expect(file.keys == BridgeConfiguration.keys.map { "[\($0.table)] \($0.name) = \($0.defaultValue ?? "")" })
    }
}
