import ArgumentParser
import Authorization
@_spi(Programs) import LocationModel
import ServiceKit

@testable import DaemonConfiguration
@testable import locationd_places

/// What an administrator writes: the daemon's configuration, that of the places service, the policy, flags and
/// environment. The same text is tried as each of them.
///
/// Rules: a mistake is told in one printable line, with a line of the file if it has one; what is accepted has no
/// number that is not finite, differs from nothing when it is read again, and reads the same with the line ends of
/// Windows.
func fuzzConfiguration(_ input: [UInt8]) {
    guard let text = String(validating: input, as: UTF8.self) else { return }
    fuzzDocument(text)
    fuzzSurroundings(text)
}

private func fuzzDocument(_ text: String) {
    let document = outcome(of: text) { () throws(ConfigurationError) in try Document(text, origin: "file") }
    // What is not a number is not equal to itself.
    if !text.utf8.contains(0x0D), !text.contains("nan") {
        let other = text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
        let entries = (try? Document(other, origin: "file"))?.entries
        require(entries == document?.entries, "configuration: the kind of line ends makes no difference")
    }
    guard let document else { return }
    let configuration = outcome(of: text) { () throws(ConfigurationError) in
        var configuration = Configuration()
        try configuration.apply(document)
        return configuration
    }
    if var configuration {
        Tally.count(.configurations)
        checkNumbers(in: configuration, "configuration")
        require(!configuration.sources.isEmpty, "configuration: there is a source")
        let names = Set(configuration.sources.map(\.name))
        require(names.count == configuration.sources.count, "configuration: each source has a name of its own")
        let first = configuration
        require("configuration: what was read can be read again") { try configuration.apply(document) }
        require(configuration == first, "configuration: a second reading changes nothing")
        let differences = configuration.differences(from: first)
        require(
            differences.reloadable.isEmpty && differences.needingRestart.isEmpty,
            "configuration: nothing differs from itself")
    }
    let places = outcome(of: text) { () throws(ConfigurationError) in try PlacesConfiguration(document) }
    if let places { checkNumbers(in: places, "places") }
    fuzzPolicy(document, text)
}

private func fuzzPolicy(_ document: Document, _ text: String) {
    func rules(kernelReportsUnits: Bool) -> [PolicyRule]? {
        outcome(of: text) { () throws(ConfigurationError) in
            try PolicyReader(document: document, names: Names(), kernelReportsUnits: kernelReportsUnits).read()
        }
    }
    let told = rules(kernelReportsUnits: true)
    if let untold = rules(kernelReportsUnits: false) {
        require(untold == told, "policy: what holds without units holds with them")
    }
    guard let told else { return }
    for rule in told {
        Tally.count(.policies)
        require((rule.minimumInterval ?? 0).isFinite, "policy: an interval is finite")
        require(isOneLine(rule.origin), "policy: a rule's origin is one line")
    }
    var policy = AccessPolicy(daemonUID: 64_999, group: nil, groupName: "locationd", rules: told)
    let ceiling = outcome(of: text) { () throws(ConfigurationError) in
        try CeilingReader(document: document, names: Names()).read()
    }
    if case let ceiling?? = ceiling {
        require((60...31_536_000).contains(ceiling.longest ?? 60), "policy: a term is one that can be written")
        require(isOneLine(ceiling.origin), "policy: a ceiling's origin is one line")
        policy.ceilings = [ceiling]
    }
    let stranger = Principal(uid: 4_000_000_000, pid: 1, groups: [])
    if told.allSatisfy({ if case .everyone = $0.match { false } else { true } }) {
        require(policy.rule(for: stranger).outcome == .ask, "policy: whom no rule is about has to ask")
    }
    if policy.ceiling(of: stranger) != nil {
        require(!policy.ceilings.isEmpty, "policy: without a table users decide nothing")
        require(policy.rule(for: stranger).outcome != .restricted, "policy: who is restricted decides nothing")
    }
}

/// Flags and environment, a line each.
private func fuzzSurroundings(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    do {
        let flags = try Flags.parse(lines)
        _ = Configuration().applying(flags)
    } catch {
        let reason = Flags.mistake(error) ?? ""
        require(isOneLine(reason), "flags: \(reason) is one line")
    }
    let environment = ["LOCATIOND_GPSD": lines[0], "LOCATIOND_LOG_LEVEL": lines.count > 1 ? lines[1] : ""]
    _ = outcome(of: nil) { () throws(ConfigurationError) in
        var configuration = Configuration()
        try configuration.apply(environment: environment)
    }
}

/// - Parameter text: the file; `nil` for what is none.
private func outcome<Value>(of text: String?, _ read: () throws(ConfigurationError) -> Value) -> Value? {
    do throws(ConfigurationError) {
        return try read()
    } catch {
        Tally.count(.mistakes)
        require(isOneLine(error.description), "configuration: \(error.description) is one line")
        require(!error.problem.isEmpty && !error.remedy.isEmpty, "configuration: a mistake has a remedy")
        let last = text.map { $0.utf8.count { $0 == 0x0A } + 1 } ?? 0
        require((1...max(1, last)).contains(error.line ?? 1), "configuration: \(error) is in the file")
        return nil
    }
}

private func isOneLine(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
}

/// Every number anywhere in the value.
private func checkNumbers(in value: Any, _ path: String) {
    if let number = value as? Double { require(number.isFinite, "\(path) is finite") }
    for child in Mirror(reflecting: value).children { checkNumbers(in: child.value, "\(path).\(child.label ?? "")") }
}

/// A system with a few accounts, and one whose directory service is away.
private struct Names: NameLookup {
    func uid(ofUser name: String) throws(NameLookupError) -> UInt32? { try number(of: name) }
    func gid(ofGroup name: String) throws(NameLookupError) -> UInt32? { try number(of: name) }

    private func number(of name: String) throws(NameLookupError) -> UInt32? {
        if name == "away" { throw NameLookupError("the directory\nservice is away") }
        return ["root": 0, "anna": 1000, "nobody": 65_534][name]
    }
}
