import Glibc
import Synchronization

/// What a run has really checked: a fuzzer that never gets so far finds nothing, and .ci/fuzz takes a 0 for a failure.
enum Tally: String, CaseIterable {
    case locations, skies, headings, failures
    case answers
    case replies, positions, refusals, sentences
    case configurations, policies, mistakes
    case decisions, states, monitors, records
    case entries, damages

    private static let counts = Mutex<[Tally: Int]>([:])

    static func count(_ kind: Tally) {
        counts.withLock { $0[kind, default: 0] += 1 }
    }

    /// Has the counts of these told when the run ends.
    static func begin(_ kinds: [Tally]) {
        counts.withLock { counts in for kind in kinds { counts[kind] = 0 } }
        atexit {
            let counts = Tally.counts.withLock { $0 }
            let told = Tally.allCases.compactMap { kind in counts[kind].map { "\($0) \(kind.rawValue)" } }
            say("checked: \(told.joined(separator: ", "))")
        }
    }
}
