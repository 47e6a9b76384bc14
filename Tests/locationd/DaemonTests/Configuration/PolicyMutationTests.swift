import Authorization
import Testing

@testable import DaemonConfiguration

/// What is not understood is an error: no slip of the hand in a policy is passed over in silence.
@Suite struct PolicyMutationTests {
    static let lines = """
        [[rules]]
        user = "alice"
        authorization = "authorizedWhenInUse"
        accuracy = "reduced"
        minimum-interval = 60
        [[rules]]
        group = "guests"
        authorization = "restricted"
        [[rules]]
        unit = "navigator.service"
        authorization = "authorizedAlways"
        [[rules]]
        user = 1002
        authorization = "ask"
        on-behalf-of = true
        [[rules]]
        bridge = "nmea"
        authorization = "authorizedAlways"
        [[rules]]
        everyone = true
        authorization = "restricted"
        """.split(separator: "\n").map(String.init)

    /// Values that are for the administrator to know: any name or number is as good as another.
    private static func isOpen(_ line: String) -> Bool {
        ["user = ", "group = ", "unit = ", "minimum-interval = "].contains { line.hasPrefix($0) }
    }

    private static func text(_ lines: [String]) -> String { lines.joined(separator: "\n") }

    /// Every text that one change of a character makes; none begins a comment, which hides what follows by intent.
    static func slips(in word: String) -> [String] {
        let characters = Array(word)
        var slips: [String] = []
        for index in 0...characters.count {
            for other in "aeilrstuAU019_-.=[]\"\\ " {
                slips.append(String(characters[..<index] + [other] + characters[index...]))
                guard index < characters.count else { continue }
                slips.append(String(characters[..<index] + [other] + characters[(index + 1)...]))
            }
            guard index < characters.count else { continue }
            slips.append(String(characters[..<index] + characters[(index + 1)...]))
            slips.append(String(characters[..<index] + [characters[index]] + characters[index...]))
            guard index + 1 < characters.count else { continue }
            var swapped = characters
            swapped.swapAt(index, index + 1)
            slips.append(String(swapped))
        }
        return slips.filter { $0 != word }
    }

    @Test(arguments: lines.indices)
    func slipInAWordOfTheFormIsAnErrorOrChangesNothing(_ index: Int) throws {
        let original = try rules(of: Self.text(Self.lines))
        let line = Self.lines[index]
        let value = Self.isOpen(line) ? String(line.drop { $0 != "=" }.dropFirst()) : ""
        let form = String(line.dropLast(value.count))
        var refused = 0
        for slip in Self.slips(in: form) {
            var lines = Self.lines
            lines[index] = slip + value
            guard let accepted = try? rules(of: Self.text(lines)) else {
                refused += 1
                continue
            }
            // Blanks between words.
            #expect(accepted == original, "\(lines[index]) is read as something else")
        }
        #expect(refused > 100)
    }

    @Test(arguments: lines.indices.filter { isOpen(lines[$0]) })
    func slipInANameOrNumberTouchesOnlyWhomItNames(_ index: Int) throws {
        let original = try rules(of: Self.text(Self.lines))
        let line = Self.lines[index]
        let key = String(line.prefix { $0 != "=" })
        let place = Self.lines[...index].count { $0 == "[[rules]]" } - 1
        for slip in Self.slips(in: String(line.dropFirst(key.count + 2))) {
            var lines = Self.lines
            lines[index] = key + "= " + slip
            guard let accepted = try? rules(of: Self.text(lines)) else { continue }
            try #require(accepted.count == original.count)
            for other in original.indices where other != place { #expect(accepted[other] == original[other]) }
            let (new, old) = (accepted[place], original[place])
            #expect(new.outcome == old.outcome && new.accuracy == old.accuracy && new.origin == old.origin)
            for principal in Self.principals where Self.gains(principal, from: original, to: accepted) {
                #expect(
                    [new, old].contains { Self.policy([$0]).rule(for: principal) == $0 },
                    "\(lines[index]) lets \(principal) know")
            }
        }
    }

    @Test func lineLeftOutOrDoubledIsAnErrorUnlessItIsOptional() throws {
        var accepted: [String] = []
        for index in Self.lines.indices {
            for count in [0, 2] {
                var lines = Self.lines
                lines.replaceSubrange(index...index, with: Array(repeating: lines[index], count: count))
                if (try? rules(of: Self.text(lines))) != nil { accepted.append("\(count)× \(Self.lines[index])") }
            }
        }
        #expect(accepted == ["0× accuracy = \"reduced\"", "0× minimum-interval = 60", "0× on-behalf-of = true"])
    }

    private static let principals = [1001, 1002, 1003, 100, 10, 0].flatMap { (uid: UInt32) in
        [[], [100], [10]].flatMap { (groups: Set<UInt32>) in
            [nil, "navigator.service", "navigato.service"].map {
                Principal(uid: uid, pid: 1, groups: groups, unit: $0)
            }
        }
    }

    private static func policy(_ rules: [PolicyRule]) -> AccessPolicy {
        AccessPolicy(daemonUID: 999, group: nil, groupName: "locationd", rules: rules)
    }

    /// Whether somebody may know more, without any decision.
    private static func gains(_ principal: Principal, from old: [PolicyRule], to new: [PolicyRule]) -> Bool {
        let outcomes: [PolicyRule.Outcome] = [.restricted, .ask, .authorizedWhenInUse, .authorizedAlways]
        func rank(_ rules: [PolicyRule]) -> Int {
            outcomes.firstIndex(of: policy(rules).rule(for: principal).outcome) ?? 0
        }
        return rank(new) > rank(old)
    }
}
