import Authorization
import Foundation
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

@testable import DaemonConfiguration

/// Whatever text is accepted, its rules say all that is written in it, neither more nor less.
@Suite struct PolicyCompletenessTests {
    @Test(arguments: 1...8)
    func rulesOfADamagedTextSayAllThatIsWritten(_ seed: UInt64) throws {
        var chance = SeededGenerator(seed: seed)
        var accepted = 0
        for _ in 0..<500 {
            let text = Self.damaged(PolicyMutationTests.lines.joined(separator: "\n"), &chance)
            guard let rules = try? rules(of: text) else { continue }
            accepted += 1
            let statements = Self.statements(of: text)
            try #require(statements.count == rules.count, "\(text)")
            for (statement, rule) in zip(statements, rules) {
                #expect(Self.says(statement, rule), "\(statement) is read as \(rule)")
            }
        }
        #expect(accepted > 15)
    }

    /// The text with up to two characters removed, doubled, replaced or put in, and up to two lines moved down by one.
    private static func damaged(_ text: String, _ chance: inout SeededGenerator) -> String {
        var characters = Array(text)
        for _ in 0..<Int.random(in: 0...2, using: &chance) {
            let index = Int.random(in: characters.indices, using: &chance)
            let other = "\n\n #\"=[]019.-+_,{}etrsu".randomElement(using: &chance) ?? " "
            switch Int.random(in: 0..<4, using: &chance) {
            case 0: characters.remove(at: index)
            case 1: characters.insert(characters[index], at: index)
            case 2: characters[index] = other
            default: characters.insert(other, at: index)
            }
        }
        var lines = String(characters).split(separator: "\n", omittingEmptySubsequences: false)
        for _ in 0..<Int.random(in: 0...2, using: &chance) {
            let index = Int.random(in: 1..<lines.count, using: &chance)
            lines.swapAt(index - 1, index)
        }
        return lines.joined(separator: "\n")
    }

    /// The keys and values below each header, read without any knowledge of what they mean.
    private static func statements(of text: String) -> [[String: String]] {
        var statements: [[String: String]] = []
        for line in text.split(separator: "\n") {
            let bare = line.prefix { $0 != "#" }.trimmingCharacters(in: .whitespaces)
            if bare.hasPrefix("[") {
                statements.append([:])
            } else if !bare.isEmpty {
                let parts = bare.split(separator: "=", maxSplits: 1).map {
                    $0.trimmingCharacters(in: CharacterSet(charactersIn: " \""))
                }
                let last = statements.indices.last ?? 0
                if statements.isEmpty { statements.append([:]) }
                statements[last][parts.first ?? ""] = parts.last ?? ""
            }
        }
        return statements
    }

    private static func says(_ statement: [String: String], _ rule: PolicyRule) -> Bool {
        let names = FakeNames()
        var rest = statement
        func number(_ text: String?, _ known: [String: UInt32]) -> UInt32? {
            text.flatMap { known[$0] ?? UInt32($0.replacing("_", with: "")) }
        }
        let matches =
            switch rule.match {
            case .uid(let uid): number(rest.removeValue(forKey: "user"), names.users) == uid
            case .group(let gid): number(rest.removeValue(forKey: "group"), names.groups) == gid
            case .unit(let unit): rest.removeValue(forKey: "unit") == unit
            case .bridge(let bridge): rest.removeValue(forKey: "bridge") == bridge.rawValue
            case .everyone: rest.removeValue(forKey: "everyone") == "true"
            }
        let interval = rest.removeValue(forKey: "minimum-interval")
        return matches && rest.removeValue(forKey: "authorization") == rule.outcome.rawValue
            && (rest.removeValue(forKey: "on-behalf-of") ?? "false") == "\(rule.mayServeOthers)"
            && (rest.removeValue(forKey: "accuracy") ?? "full") == rule.accuracy.rawValue
            && interval.flatMap { Double($0.replacing("_", with: "")) } == rule.minimumInterval && rest.isEmpty
    }
}
