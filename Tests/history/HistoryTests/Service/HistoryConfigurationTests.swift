import ArgumentParser
import Foundation
import Logging
import ProgramTestSupport
import ServiceKit
import Testing
import TrackHistory

@testable import locationd_history

/// What a text says to the track history.
private func configuration(of text: String) throws(ConfigurationError) -> HistoryConfiguration {
    try HistoryConfiguration(Document(text, origin: "history.toml"))
}

/// What the track history makes of its file and its flags, and that its documents list all of them.
@Suite struct HistoryConfigurationTests {
    @Test func keysAreReadAndFlagsReplaceThem() throws {
        var read = try configuration(
            of: """
                [service]
                log-level = "error"
                [track]
                file = "/a.gpkg"
                passive = true
                maximum-error = 2
                interval = 30
                stay-interval = 600
                gap = 60
                trip-gap = 900
                [retention]
                maximum-age = "off"
                maximum-size = 5
                [metrics]
                textfile = "/history.prom"
                """)
        #expect(read.service.logLevel == .error && read.track.file == "/a.gpkg" && read.track.isPassive)
        let recorder = read.track.recorder
        #expect(recorder.thinning.maximumError == 2 && recorder.thinning.interval == 30 && recorder.stayInterval == 600)
        #expect(recorder.gap == 60 && recorder.tripGap == 900 && !recorder.includesSimulated)
        #expect(read.retention.maximumAge == nil && read.retention.maximumSize == 5)
        #expect(read.metrics.textfile == "/history.prom" && read.metrics.interval == 15)
        read.apply(
            try HistoryFlags.parse(["--file", "/b.gpkg", "--daemon=/c", "--include-simulated", "--log-level", "debug"]))
        #expect(read.service.logLevel == .debug && read.track.file == "/b.gpkg" && read.service.daemon == "/c")
        #expect(read.track.recorder.includesSimulated)
    }

    @Test(
        arguments: [
            ("[trak]\ngap = 7", "history.toml:1: trak: unknown key; did you mean track?"),
            (
                "[track]\ngap = 7",
                "history.toml:2: track.gap: 7 is out of range; use a number from 10 to 86400 (seconds)"
            ),
            ("[track]\nfile = \"a\"", "history.toml:2: track.file: \"a\" is not an absolute path"),
            (
                "[retention]\nmaximum-size = 0",
                "history.toml:2: retention.maximum-size: 0 is out of range; use an integer from 1 to 1048576 (MiB), or \"off\""
            ),
        ])
    func mistakesNameTheirLine(text: String, message: String) throws {
        let error = #expect(throws: ConfigurationError.self) { _ = try configuration(of: text) }
        #expect(try #require(error).description.hasPrefix(message), "\(String(describing: error))")
    }

    /// The shipped file documents the code: its commented lines are the defaults, and no key is missing.
    @Test func shippedFileIsTheDefaults() throws {
        let file = try ShippedFile(Repository.root.appending(path: "config/history.toml"))
        #expect(try configuration(of: file.text) == HistoryConfiguration())
        #expect(try configuration(of: file.uncommented) == HistoryConfiguration())
        #expect(file.keys == HistoryConfiguration.keys.map { "[\($0.table)] \($0.name) = \($0.defaultValue ?? "")" })
    }

    @Test func manualListsEveryKeyAndFlagAndNoOther() throws {
        let page = try ManualPage("locationd-history.toml.5")
        #expect(page.mistakes(about: HistoryConfiguration.keys, isReadAgain: false) == [])
        #expect(try page.examples.map { try configuration(of: $0).track.isPassive } == [true])
        let program = try ManualPage("locationd-history.8")
        #expect(program.mistakes(aboutFlagsInHelp: HistoryFlags.helpMessage(columns: 400)) == [])
    }

    @Test func manualListsEveryMetricAndNoOther() throws {
        let page = try ManualPage("locationd-history.8")
        #expect(page.mistakes(about: HistoryFigures().families(path: "/nowhere")) == [])
    }
}
