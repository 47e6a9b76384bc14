/// Finds what somebody meant to write.
enum Spelling {
    /// The candidate that takes the fewest changes, if that is few enough to be a slip of the hand.
    static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
        guard word.count <= 64 else { return nil }
        let limit = max(1, word.count / 3)
        return candidates.map { (candidate: $0, distance: distance(word, $0)) }
            .filter { $0.distance <= limit }
            .min { ($0.distance, $0.candidate) < ($1.distance, $1.candidate) }?
            .candidate
    }

    /// How many characters must be inserted, removed, replaced or swapped with their neighbour to turn one word into
    /// the other (optimal string alignment distance).
    static func distance(_ first: String, _ second: String) -> Int {
        let (a, b) = (Array(first), Array(second))
        var beforeLast = [Int](repeating: 0, count: b.count + 1)
        var last = Array(0...b.count)
        for i in a.indices {
            var current = [i + 1]
            for j in b.indices {
                let substitution = last[j] + (a[i] == b[j] ? 0 : 1)
                var best = min(substitution, last[j + 1] + 1, current[j] + 1)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    best = min(best, beforeLast[j - 1] + 1)
                }
                current.append(best)
            }
            (beforeLast, last) = (last, current)
        }
        return last[b.count]
    }
}
