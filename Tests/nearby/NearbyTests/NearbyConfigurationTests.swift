import ArgumentParser
import Foundation
import Logging
import ProgramTestSupport
import ServiceKit
import Testing

@testable import locationd_nearby

private func configuration(of text: String) throws(ConfigurationError) -> NearbyConfiguration {
    try NearbyConfiguration(Document(text, origin: "nearby.toml"))
}

/// What the program makes of its file and its flags, and that its documents list all of them.
@Suite struct NearbyConfigurationTests {
    @Test func keysAreReadAndFlagsReplaceThem() throws {
        var read = try configuration(
            of: """
                [service]
                log-level = "error"
                [store]
                file = "/a.sqlite"
                maximum-age = 30
                [metrics]
                textfile = "/nearby.prom"
                """)
        #expect(read.service.logLevel == .error && read.store.file == "/a.sqlite" && read.store.maximumAge == 30)
        #expect(read.metrics.textfile == "/nearby.prom" && read.store.key == "/etc/locationd/nearby.key")
        read.apply(try NearbyFlags.parse(["--store", "/b", "--key", "/k", "--daemon=/c", "--log-level", "debug"]))
        #expect(read.service.logLevel == .debug && read.store.file == "/b" && read.service.daemon == "/c")
        #expect(read.store.key == "/k")
    }

    @Test func mistakesNameTheirLine() throws {
        let error = #expect(throws: ConfigurationError.self) { try configuration(of: "[store]\nmaximum-age = 0") }
        #expect(
            error?.description
                == "nearby.toml:2: store.maximum-age: 0 is out of range; use an integer from 1 to 3650 (days)")
    }

    /// The shipped file documents the code: its commented lines are the defaults, and no key is missing.
    @Test func shippedFileIsTheDefaults() throws {
        let file = try ShippedFile(Repository.root.appending(path: "config/nearby.toml"))
        #expect(try configuration(of: file.text) == NearbyConfiguration())
        #expect(try configuration(of: file.uncommented) == NearbyConfiguration())
        #expect(file.keys == NearbyConfiguration.keys.map { "[\($0.table)] \($0.name) = \($0.defaultValue ?? "")" })
    }

    @Test func manualListsEveryKeyAndFlagAndNoOther() throws {
        let page = try ManualPage("locationd-nearby.toml.5")
        #expect(page.mistakes(about: NearbyConfiguration.keys, isReadAgain: false) == [])
        let program = try ManualPage("locationd-nearby.8")
        #expect(program.mistakes(aboutFlagsInHelp: NearbyFlags.helpMessage(columns: 400)) == [])
    }

    @Test func manualListsEveryMetricAndNoOther() throws {
        let page = try ManualPage("locationd-nearby.8")
        #expect(page.mistakes(about: NearbyFigures().families(remembered: nil)) == [])
    }
}
