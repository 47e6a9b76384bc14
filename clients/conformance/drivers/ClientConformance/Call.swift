import FoundationEssentials
import LocationKit

/// What the judge asks of a driver: one line of its input. See ../../README.md.
struct Call: Decodable {
    /// The calls that drivers know.
    enum Name: String, Decodable {
        case watch, get, status, regions, monitors
        case requestAuthorization = "request_authorization"
        case changeRegions = "change_regions"
        case removeMonitor = "remove_monitor"
    }

    let call: Name
    /// After so many events of a kind the driver exits; the kind `events` counts all.
    let stopAfter: [String: Int]
    /// After so many events the driver asks for no further ones until it is sent a line.
    let pauseAfter: Int?
    /// What the program reads that not every way of making the call has.
    let needs: Set<String>
    private let options: KeyedDecodingContainer<Key>?

    private enum Key: String, CodingKey {
        case call, options, needs
        case stopAfter = "stop_after"
        case pauseAfter = "pause_after"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        call = try container.decode(Name.self, forKey: .call)
        stopAfter = try container.decodeIfPresent([String: Int].self, forKey: .stopAfter) ?? [:]
        pauseAfter = try container.decodeIfPresent([String: Int].self, forKey: .pauseAfter)?["events"]
        needs = try container.decodeIfPresent(Set<String>.self, forKey: .needs) ?? []
        options = container.contains(.options) ? container : nil
    }

    /// The options, as a type that has the interface's names.
    func options<Options: Decodable>(as type: Options.Type) throws -> Options {
        if let options { return try options.decode(Options.self, forKey: .options) }
        return try JSONDecoder().decode(Options.self, from: Data("{}".utf8))
    }

    /// The names of the options that are given.
    func optionNames() throws -> Set<String> { Set(try options(as: OptionNames.self).names) }
}

/// The names of an object's members.
private struct OptionNames: Decodable {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    let names: [String]

    init(from decoder: any Decoder) throws {
        names = try decoder.container(keyedBy: Name.self).allKeys.map(\.stringValue)
    }
}
