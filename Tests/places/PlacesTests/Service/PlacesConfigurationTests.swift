import ArgumentParser
import Foundation
import Logging
import ProgramTestSupport
import ServiceKit
import ServiceServer
import Testing

@testable import locationd_places

/// What a text says to the places service.
func placesConfiguration(of text: String) throws(ConfigurationError) -> PlacesConfiguration {
    try PlacesConfiguration(Document(text, origin: "places.toml"))
}

/// What the places service makes of its file, its command line and what is wrong with them.
@Suite struct PlacesConfigurationTests {
    private static let online = """
        [online]
        provider = "photon"
        url = "http://[::1]:2322/photon"
        contact = "admin@example.org"
        """

    private func mistake(_ text: String) -> String? {
        do {
            _ = try placesConfiguration(of: text)
            return nil
        } catch {
            return error.description
        }
    }

    @Test func onlineIsAbsentUnlessItIsNamed() throws {
        #expect(try placesConfiguration(of: "") == PlacesConfiguration())
        #expect(PlacesConfiguration().online == nil)
        let online = try #require(try placesConfiguration(of: Self.online).online)
        #expect(online == .init(provider: .photon, url: "http://[::1]:2322/photon", contact: "admin@example.org"))
        #expect(online.rate == 1)
        #expect(try placesConfiguration(of: Self.online + "\ncache = \"\"").online?.cache == nil)
        #expect(try placesConfiguration(of: "[service]\nidle-exit = \"off\"").service.idleExit == nil)
    }

    @Test(
        arguments: [
            (
                "[service]\nidle-exit = 0",
                "places.toml:2: service.idle-exit: 0 is out of range; use a number from 1 to 86400 (seconds), or \"off\""
            ),
            (
                "[service]\ndatabase = 7",
                "places.toml:2: service.database: is an integer, not text; use an absolute path in quotes"
            ),
            ("[limits]\ncall = 7", "places.toml:2: limits.call: unknown key; did you mean calls?"),
            ("calls = 7", "places.toml:1: calls: unknown key; it belongs to [limits]"),
            ("online = 7", "places.toml:1: online: is an integer, not a table; write its keys below a line [online]"),
            (
                "[online]\nurl = \"http://a\"\ncontact = \"a@b\"",
                "places.toml:1: online.provider: is missing; give it one of \"nominatim\", \"photon\""
            ),
            (
                "[online]\nprovider = \"nominatin\"",
                "places.toml:2: online.provider: \"nominatin\" is not a choice; did you mean \"nominatim\"?"
            ),
            ("[[online]]", "places.toml:1: online: is a list, not a table; write its keys below a line [online]"),
            ("[online", "places.toml:1: not valid TOML: the closing ] is missing; correct this line or comment it out"),
        ])
    func mistakesNameTheirLine(text: String, message: String) {
        #expect(mistake(text) == message)
    }

    @Test(arguments: ["ftp://a", "nominatim.example.org", "https://a b", ""])
    func addressesAreOfTheWeb(url: String) {
        let text = Self.online.replacing("http://[::1]:2322/photon", with: url)
        #expect(mistake(text)?.hasPrefix("places.toml:3: online.url: ") == true)
    }

    /// What only the code of the provider's requests refuses is refused with its line too.
    @Test(
        arguments: [
            (
                "contact = \"admin@example.org\"", "contact = \"(admin)\"",
                "4: online.contact: will not do; give an e-mail address"
            ),
            ("http://[::1]:2322/photon", "http://a?b", "3: online.url: will not do; leave out the query (?)"),
        ])
    func unusableProviderIsRefusedWithItsLine(right: String, wrong: String, message: String) throws {
        let text = Self.online.replacing(right, with: wrong)
        #expect(try #require(mistake(text)).hasPrefix("places.toml:\(message)"))
    }

    @Test func fileIsReadOrMissing() throws {
        let folder = try TemporaryFolder()
        let path = folder("places.toml")
        try "[limits]\ncalls = 3".write(toFile: path, atomically: true, encoding: .utf8)
        #expect(try PlacesConfiguration.load(path: path).limits.calls == 3)
        let error = #expect(throws: ConfigurationError.self) {
            _ = try PlacesConfiguration.load(path: folder("absent.toml"))
        }
        #expect(error?.description.hasSuffix("absent.toml: does not exist; check the path after --config") == true)
    }

    @Test func commandLineIsRead() throws {
        let usual = try PlacesFlags.parse([])
        #expect(usual.service.configurationPath == nil && usual.socketPath == nil && usual.service.logLevel == nil)
        #expect(!usual.service.checksConfiguration && !usual.showsVersion)
        let flags = try PlacesFlags.parse(["--config", "/a", "--socket=/b", "--log-level=debug", "--check-config"])
        #expect(flags.service.configurationPath == "/a" && flags.socketPath == "/b" && flags.service.logLevel == .debug)
        #expect(flags.service.checksConfiguration && !flags.showsVersion)
        #expect(try PlacesFlags.parse(["--version"]).showsVersion)
        let help = #expect(throws: (any Error).self) { _ = try PlacesFlags.parse(["--help"]) }
        #expect(try PlacesFlags.mistake(#require(help)) == nil)
    }

    @Test(
        arguments: [
            (["--sockt", "/b"], "Unknown option '--sockt'. Did you mean '--socket'? See"),
            (["places"], "Unexpected argument 'places'; see"),
            (["--socket"], "Missing value for '--socket <path>'; see"),
            (["--socket="], "Missing value for '--socket <path>'; see"),
            (["--config", "--version"], "Missing value for '--config <path>'; see"),
            (["--version=1"], "The option '--version' does not take any value, but '1' was specified. See"),
            (
                ["--log-level", "loud"],
                "The value 'loud' is invalid for '--log-level <level>': \"loud\" is not a choice; use one of "
                    + "\"trace\", \"debug\", \"info\", \"notice\", \"warning\", \"error\", \"critical\"; see"
            ),
        ])
    func wrongCommandLinesSayWhatToDo(arguments: [String], reason: String) throws {
        let error = #expect(throws: (any Error).self) { _ = try PlacesFlags.parse(arguments) }
        #expect(try PlacesFlags.mistake(#require(error)) == "\(reason) locationd-places --help")
    }

    /// The shipped file documents the code: its commented lines are the defaults, and no key is missing.
    @Test func shippedFileIsTheDefaults() throws {
        let file = try ShippedFile(Repository.root.appending(path: "config/places.toml"))
        #expect(try placesConfiguration(of: file.text) == PlacesConfiguration())
        var expected = PlacesConfiguration()
        expected.online = .init(
            provider: .nominatim, url: "https://nominatim.example.org", contact: "admin@example.org")
        #expect(try placesConfiguration(of: file.uncommented) == expected)
        #expect(
            file.keys.map { $0.split(separator: " = ")[0] }
                == PlacesConfiguration.keys.map { "[\($0.table)] \($0.name)" })
        for key in PlacesConfiguration.keys {
            guard let value = key.defaultValue else { continue }
            #expect(file.keys.contains("[\(key.table)] \(key.name) = \(value)"))
        }
    }
}
