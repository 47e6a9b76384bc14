import LocationHub
import LocationModel
import RegionMonitoring

/// How much later a monitor delivers events than one whose receiver runs all the time.
struct Lateness {
    /// Events that only the other one has delivered.
    private(set) var missing = 0
    private var seconds: [Int] = []

    /// The median, seconds.
    var median: Int? { seconds.isEmpty ? nil : seconds[seconds.count / 2] }
    /// The maximum, seconds.
    var maximum: Int? { seconds.last }

    private typealias News = [(second: Int, update: WatchUpdate)]

    init(
        of news: [(second: Int, update: WatchUpdate)], after reference: [(second: Int, update: WatchUpdate)],
        request: MonitorSubjects, drive: Drive
    ) {
        compare(news, with: reference)
        if let change = request.significantChange { compareChanges(news, of: change, on: drive) }
        seconds.sort()
    }

    /// Regions and visits: both deliver the same events, one sooner than the other.
    private mutating func compare(_ news: News, with reference: News) {
        var left = news
        for (second, update) in reference where update.location == nil {
            guard let index = left.firstIndex(where: { Self.isSame($0.update, update) }) else {
                missing += 1
                continue
            }
            seconds.append(left.remove(at: index).second - second)
        }
    }

    private static func isSame(_ one: WatchUpdate, _ other: WatchUpdate) -> Bool {
        one.region?.identifier == other.region?.identifier && one.region?.event == other.region?.event
            && one.visit?.isPresent == other.visit?.isPresent && one.location == nil
    }

    /// Significant changes depend on the one before: each is compared with a monitor that gets every fix from that one on.
    private mutating func compareChanges(_ news: News, of change: SignificantChange, on drive: Drive) {
        let told = news.filter { $0.update.location != nil }.map(\.second)
        for (index, second) in told.enumerated() {
            var monitor = MonitorEngine(MonitorSubjects(significantChange: change))
            _ = monitor.applyFix(drive.fixes[second])
            let later = second + 1..<drive.fixes.count
            guard let due = later.first(where: { !monitor.applyFix(drive.fixes[$0]).isEmpty })
            else { continue }
            if index + 1 < told.count { seconds.append(told[index + 1] - due) } else { missing += 1 }
        }
    }
}
