import Foundation
import ProgramTestSupport
import ServiceKit
import Testing

@testable import DaemonConfiguration

/// The shipped file documents the code: its commented lines are the defaults, and no key is missing.
@Suite struct ShippedFileTests {
    let text: String

    init() throws {
        text = try String(contentsOf: Repository.root.appendingPathComponent("config/locationd.toml"), encoding: .utf8)
    }

    private var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

    /// Lines such as `#key = value` and `#[[sources]]`, made live.
    private var uncommented: String {
        lines.map { line in
            let rest = line.dropFirst()
            return line.hasPrefix("#") && rest.first.map { $0.isLetter || $0 == "[" } == true ? rest : line
        }.joined(separator: "\n")
    }

    /// What stands below a header, as far as the next one.
    private func section(_ table: String) -> String {
        let headers = ["[\(table)]", "[[\(table)]]"]
        let below = uncommented.split(separator: "\n").drop { !headers.contains(String($0)) }.dropFirst()
        return below.prefix { !$0.hasPrefix("[") }.joined(separator: "\n")
    }

    /// The indented examples, one text for each; an empty comment within one does not end it.
    private var examples: [String] {
        let indented = lines.indices.map { index in
            let isInside =
                lines[index] == "#" && index + 1 < lines.count && lines[index + 1] == "#     [[sources]]"
                && lines[index - 1].hasPrefix("#     ")
            return lines[index].hasPrefix("#     ") ? String(lines[index].dropFirst(6)) : isInside ? " " : ""
        }
        return indented.split(separator: "").map { $0.joined(separator: "\n") }
    }

    @Test func asShippedItChangesNothing() throws {
        #expect(try configuration(of: text) == Configuration())
    }

    @Test func uncommentedItIsTheDefaults() throws {
        #expect(uncommented != text)
        #expect(try configuration(of: uncommented) == Configuration())
    }

    @Test func everyExampleIsItsKindWithTheDefaults() throws {
        #expect(examples.count == 7)
        var fixed = Configuration.FixedPosition(latitude: 48.8584, longitude: 2.2945)
        fixed.altitude = 35
        fixed.ellipsoidalAltitude = 79.5
        fixed.horizontalAccuracy = 10
        let expected: [Configuration.Source] = [
            .init(Configuration.Simulator()), .init(Configuration.Replay(file: "/var/lib/locationd/recording.jsonl")),
            .init(fixed), .init(Configuration.PositionFile()),
            .init(Configuration.Provider(socket: "/run/example/provider.sock")), .init(Configuration.Compass()),
        ]
        #expect(try examples.dropFirst().map { try configuration(of: $0).sources } == expected.map { [$0] })
    }

    @Test func firstExampleIsTwoReceiversAndAFallback() throws {
        var roof = Configuration.GPSD()
        roof.device = "/dev/ttyUSB0"
        var other = Configuration.GPSD()
        other.host = "gps.example.net"
        let example = try configuration(of: try #require(examples.first))
        #expect(
            example.sources == [
                .init(roof, name: "roof"), .init(other, name: "other-host"),
                .init(Configuration.PositionFile(), name: "written-down"),
            ])
    }

    @Test(arguments: Configuration.keys)
    func everyKeyIsInTheFileWithItsDefault(_ key: KeyDocumentation) throws {
        let live = key.table == "sources" && key.kind != nil && key.kind != "gpsd"
        let example = examples.dropFirst().first { $0.contains("kind = \"\(key.kind ?? "")\"") }
        let place = live ? try #require(example) : section(key.table)
        let written = place.split(separator: "\n").filter { $0.hasPrefix("\(key.name) = ") }
        #expect(written.count == 1)
        // Where the parser accepts the line with the same value is checked above; here it is the same text.
        if let value = key.defaultValue { #expect(written == ["\(key.name) = \(value)"]) }
    }

    @Test(arguments: Configuration.keys)
    func everyKeyIsDescribed(_ key: KeyDocumentation) {
        #expect(key.meaning.hasSuffix("."))
        #expect(!key.accepts.isEmpty)
        #expect(key.isRequired ? key.defaultValue == nil : true)
    }
}
