import LocationModel

/// Which receiver ought to be followed, from the rule alone: the one that serves goes on while it has a fix; without one
/// the best of those that have takes its place at once; a better rank takes over when its fixes have lasted.
struct RankModel {
    struct Course {
        let rank: Int
        var arrivals: [Double] = []
        /// When the present uninterrupted fixes began; `nil` after the receiver said that it has none.
        var since: Double?
        var isFlat = false
        var accuracy = 0.0

        /// How long its last fix holds: three of its usual gaps, at least so many seconds.
        func patience(_ staleAfter: Double) -> Double {
            let gaps = zip(arrivals, arrivals.dropFirst()).map { $1 - $0 }.suffix(3).sorted()
            return max(staleAfter, 3 * (gaps.isEmpty ? 0 : gaps[(gaps.count - 1) / 2]))
        }

        func holds(at now: Double, _ staleAfter: Double) -> Bool {
            guard since != nil, let last = arrivals.last else { return false }
            return now - last < patience(staleAfter) - 1e-6
        }
    }

    let staleAfter: Double
    let hysteresis: Double
    private(set) var courses: [String: Course] = [:]
    private(set) var serving: String?

    init(staleAfter: Double, hysteresis: Double) {
        self.staleAfter = staleAfter
        self.hysteresis = hysteresis
    }

    mutating func fix(_ device: String, rank: Int, isFlat: Bool, accuracy: Double, at now: Double) {
        var course = courses[device] ?? Course(rank: rank)
        if !course.holds(at: now, staleAfter) { course.since = now }
        course.arrivals.append(now)
        course.isFlat = isFlat
        course.accuracy = accuracy
        courses[device] = course
        settle(at: now)
        guard let current = serving.flatMap({ courses[$0] }), let since = course.since else { return }
        if rank < current.rank, now - since >= hysteresis { serving = device }
    }

    mutating func loss(_ device: String, at now: Double) {
        courses[device]?.since = nil
        settle(at: now)
    }

    /// Time passes: who falls silent is replaced at that very moment.
    mutating func pass(to now: Double) {
        while let course = serving.flatMap({ courses[$0] }), course.since != nil, let last = course.arrivals.last {
            let end = last + course.patience(staleAfter)
            let before = serving
            guard end <= now else { break }
            settle(at: end)
            if serving == before { break }
        }
    }

    /// Without a fix the best of the others serves, if there is one.
    private mutating func settle(at now: Double) {
        if let serving, courses[serving]?.holds(at: now, staleAfter) == true { return }
        let best = courses.filter { $0.value.holds(at: now, staleAfter) }.min { one, other in
            let (a, b) = (one.value, other.value)
            return (a.rank, a.isFlat ? 1 : 0, a.accuracy) < (b.rank, b.isFlat ? 1 : 0, b.accuracy)
        }
        serving = best?.key ?? serving
    }

    func isTracking(at now: Double) -> Bool { serving.flatMap { courses[$0] }?.holds(at: now, staleAfter) ?? false }
}
