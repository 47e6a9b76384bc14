import ArgumentParser
import Foundation
import Logging
import ProgramTestSupport
import ServiceKit
import Testing
import WebService

@testable import locationd_web

/// What a text says to the pages' service.
private func configuration(of text: String) throws(ConfigurationError) -> WebConfiguration {
    try WebConfiguration(Document(text, origin: "web.toml"))
}

/// What the service makes of its file and its flags, and that its documents list all of them.
@Suite struct WebConfigurationTests {
    @Test func keysAreReadAndFlagsReplaceThem() throws {
        var read = try configuration(
            of: """
                [service]
                log-level = "error"
                daemon = "/a.sock"
                places = "/places.sock"
                fleet = "/fleet.sock"
                idle-exit = "off"
                [site]
                listen = ["127.0.0.1:1", "[::1]:2"]
                host = "pages.example.org:444"
                [map]
                borders = "/borders"
                tiles = "https://{s}.example.org/{z}/{x}/{y}.png"
                attribution = "the makers"
                """)
        #expect(read.service.logLevel == .error && read.service.idleExit == nil)
        #expect(read.site.listen.map(\.description) == ["127.0.0.1:1", "[::1]:2"])
        #expect(read.map.borders == "/borders")
        let settings = read.settings
        #expect(
            settings.daemon == "/a.sock" && settings.places == "/places.sock" && settings.fleet == "/fleet.sock"
                && settings.hosts == ["pages.example.org:444"])
        #expect(settings.tiles == .init(url: "https://{s}.example.org/{z}/{x}/{y}.png", attribution: "the makers"))
        read.apply(
            try WebFlags.parse(
                ["--daemon", "/b.sock", "--listen", "localhost:3", "--listen=[::1]:4", "--log-level", "debug"]))
        #expect(read.service.logLevel == .debug && read.settings.daemon == "/b.sock")
        #expect(read.site.listen.map(\.description) == ["127.0.0.1:3", "[::1]:4"])
        let defaults = WebConfiguration().settings
        #expect(defaults == WebSettings(), "the defaults of the parts differ")
    }

    @Test(
        arguments: [
            ("[sit]\nlisten = []", "web.toml:1: sit: unknown key; did you mean site?"),
            ("[service]\nidle-exit = 0", "web.toml:2: service.idle-exit: 0 is out of range"),
            ("[service]\ndaemon = \"a\"", "web.toml:2: service.daemon: \"a\" is not an absolute path"),
            (
                "[site]\nlisten = [\"0.0.0.0:80\"]",
                "web.toml:2: site.listen: \"0.0.0.0:80\" is no address of the loopback interface"
            ),
            ("[site]\nhost = \"https://a\"", "web.toml:2: site.host: \"https://a\" is no host"),
            ("[site]\nhost = \"a b\"", "web.toml:2: site.host: \"a b\" is no host"),
            ("[map]\ntiles = \"https://a/{z}/{x}\"\nattribution = \"b\"", "web.toml:2: map.tiles: "),
            ("[map]\ntiles = \"https://a;script-src */{z}/{x}/{y}\"\nattribution = \"b\"", "web.toml:2: map.tiles: "),
            ("[map]\ntiles = \"https://a/{z}/{x}/{y}\"", "web.toml:1: map: has tiles without attribution"),
            ("[map]\nattribution = \"a\\nb\"", "web.toml:2: map.attribution: "),
        ])
    func mistakesNameTheirLine(text: String, message: String) throws {
        let error = #expect(throws: ConfigurationError.self) { _ = try configuration(of: text) }
        #expect(try #require(error).description.hasPrefix(message), "\(String(describing: error))")
    }

    /// The shipped file documents the code: its commented lines are the defaults, and no key is missing.
    @Test func shippedFileIsTheDefaults() throws {
        let file = try ShippedFile(Repository.root.appending(path: "config/web.toml"))
        #expect(try configuration(of: file.text) == WebConfiguration())
        #expect(try configuration(of: file.uncommented) == WebConfiguration())
        #expect(file.keys == WebConfiguration.keys.map { "[\($0.table)] \($0.name) = \($0.defaultValue ?? "")" })
    }

    @Test func manualListsEveryKeyAndFlagAndNoOther() throws {
        let page = try ManualPage("locationd-web.toml.5")
        #expect(page.mistakes(about: WebConfiguration.keys, isReadAgain: false) == [])
        for example in page.examples { _ = try configuration(of: example) }
        let program = try ManualPage("locationd-web.8")
        #expect(program.mistakes(aboutFlagsInHelp: WebFlags.helpMessage(columns: 400)) == [])
    }
}
