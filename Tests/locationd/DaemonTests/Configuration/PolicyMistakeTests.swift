import ServiceKit
import Testing

@testable import DaemonConfiguration

/// A policy with one mistake, and what is said of it.
struct PolicyMistake: Sendable, CustomTestStringConvertible {
    let text: String
    /// From the line on.
    let message: String

    init(_ text: String, _ message: String) {
        self.text = text
        self.message = message
    }

    /// A policy of one or two rules, each with one line to say whom it is about.
    init(about first: String, then second: String? = nil, _ message: String) {
        let lines = [first] + (second.map { [$0] } ?? [])
        self.init(lines.map { "[[rules]]\n\($0)\nauthorization = \"ask\"\n" }.joined(), message)
    }

    var testDescription: String { text.debugDescription }
}

@Suite struct PolicyMistakeTests {
    @Test(arguments: form + whom + order + serving)
    func everyMistakeIsReportedWhereItIs(_ mistake: PolicyMistake) {
        check(mistake.text, mistake.message)
    }

    @Test(arguments: ["restricted", "ask"])
    func ruleThatTakesFromAUnitIsAMistakeWhereUnitsAreNotTold(_ outcome: String) throws {
        let text = "[[rules]]\nunit = \"a.service\"\nauthorization = \"\(outcome)\""
        #expect(try rules(of: text).count == 1)
        check(
            text,
            "2: rules[0].unit: the kernel does not report the unit of a program (Linux 6.13 does), "
                + "so \"\(outcome)\" would have no effect; name the user of that unit instead",
            kernelReportsUnits: false)
    }

    private func check(_ text: String, _ message: String, kernelReportsUnits: Bool = true) {
        let error = #expect(throws: ConfigurationError.self) {
            try rules(of: text, kernelReportsUnits: kernelReportsUnits)
        }
        #expect(error?.description == "policy.toml:" + message)
    }
}
