import Authorization
import ServiceKit
import Testing

@testable import DaemonConfiguration

/// A few users and groups, and one that nobody can tell of.
struct FakeNames: NameLookup {
    var users: [String: UInt32] = ["root": 0, "alice": 1001, "bob": 1003, "nobody": 65534]
    var groups: [String: UInt32] = ["guests": 100, "users": 100, "gps": 101, "nogroup": 65534]

    func uid(ofUser name: String) throws(NameLookupError) -> UInt32? { try number(of: name, in: users) }

    func gid(ofGroup name: String) throws(NameLookupError) -> UInt32? { try number(of: name, in: groups) }

    private func number(of name: String, in numbers: [String: UInt32]) throws(NameLookupError) -> UInt32? {
        if name == "far" { throw NameLookupError("the directory is down") }
        return numbers[name]
    }
}

/// The rules of a text.
func rules(of text: String, kernelReportsUnits: Bool = true) throws(ConfigurationError) -> [PolicyRule] {
    let document = try Document(text, origin: "policy.toml")
    return try PolicyReader(document: document, names: FakeNames(), kernelReportsUnits: kernelReportsUnits).read()
}

/// What users may decide by a text.
func ceiling(of text: String) throws(ConfigurationError) -> UserCeiling? {
    try CeilingReader(document: try Document(text, origin: "policy.toml"), names: FakeNames()).read()
}
