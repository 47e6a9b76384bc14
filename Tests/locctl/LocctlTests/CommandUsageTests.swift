import ArgumentParser
import Testing

@testable import locctl

/// Wrong words of a command are refused before a daemon is asked.
struct CommandUsageTests {
    /// What is said of the words; `nil` if they are accepted.
    private func refusal(_ words: [String]) -> String? {
        do {
            _ = try Locctl.parseAsRoot(CommandLineWords(words).prepared)
            return nil
        } catch {
            return Locctl.fullMessage(for: error)
        }
    }

    @Test(arguments: [
        ("watch --count 0", "--count is 1 or more"), ("watch --count -1", "--count is 1 or more"),
        ("watch --duration 0", "--duration"), ("watch --format pdf", "geojsonl"), ("convert x --format pdf", "kml"),
        ("get --timeout soon", "--timeout"), ("get --desired-accuracy 0", "--desired-accuracy"),
        ("get --desired-accuracy 100 --accuracy 5", "--accuracy"),
        ("get --accuracy 0", "--accuracy is more than 0 metres"),
        ("get --accuracy=-1", "--accuracy is more than 0 metres"),
        ("watch --accuracy 0", "--accuracy is more than 0 metres"),
        ("watch --interval nan", "--interval is a finite number"),
        ("watch --distance inf", "--distance is a finite number"),
        ("get --timeout nan", "--timeout is a finite number"), ("get --max-age inf", "--max-age is a finite number"),
        ("simulate 1 2 --speed nan", "--speed is a finite number"),
        ("audit --limit 0", "--limit is 1 to 10000"), ("audit --limit 10001", "--limit is 1 to 10000"),
        ("authorize me --this-time=1", "--this-time"), ("authorize me --this-time=0", "--this-time"),
        ("authorize me --this-time=-1", "--this-time"), ("authorize me --this-time=maps", "--this-time"),
        ("audit --principal uid:alice", "write user:alice"), ("place 1 2 --timeout 0", "--timeout is 1 to 300"),
        ("place --find x --limit 101", "--limit is 1 to 100"), ("place 1 2 --find x", "--find accepts no position"),
    ])
    func wrongValueIsNamed(line: String, words: String) {
        let refusal = refusal(line.split(separator: " ").map(String.init))
        #expect(refusal?.hasPrefix("locctl: ") == true && refusal?.contains(words) == true, "\(refusal ?? "accepted")")
    }

    @Test(arguments: [
        "frobnicate", "simulate 91 0", "simulate 1", "disconnect", "watch --nonsense", "place 91 0", "place 1",
        "place 1 2 3", "place north east", "place nan 0", "monitor-region", "monitor-region 1 2",
        "monitor-region 91 0 5", "monitor-region 1 2 0", "monitor-region 1 2 x", "monitor-region 1 2 3 --dwell 0",
        "monitor-region --name x --dwell 5", "monitor-region 1 2 3 --geojson /dev/null",
        "monitor-region 1 2 3 --count 0", "monitor-region 1 2 3 --colour",
    ])
    func wrongWordsAreRefused(line: String) {
        #expect(refusal(line.split(separator: " ").map(String.init)) != nil)
    }

    @Test(arguments: [
        ("unit:navd", "write unit:navd.service"), ("uid:alice", "write user:alice"), ("user:1000", "write uid:1000"),
        ("user:", "write uid:N"), ("uid:-1", "write uid:N"), ("uid:4294967296", "write uid:N"), ("", "write uid:N"),
        ("group:gps", "policy file"), ("bridge:gps", "write bridge:nmea"), ("somebody:alice", "write uid:N"),
    ])
    func wrongPrincipalIsRefusedWithAdvice(principal: String, advice: String) {
        for command in ["authorize", "deny", "reset-authorization"] {
            #expect(refusal([command, "--", principal])?.contains(advice) == true, "\(command)")
        }
    }
}
