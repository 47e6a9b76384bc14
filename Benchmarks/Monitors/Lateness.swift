import LocationHub
import LocationModel
import RegionMonitoring

/// How much later a monitor told than one whose receiver runs all the time.
struct Lateness {
    /// How many of that one's were not told at all.
    private(set) var missing = 0
    private var seconds: [Int] = []

    /// Seconds for the middle one.
    var half: Int? { seconds.isEmpty ? nil : seconds[seconds.count / 2] }
    /// Seconds for the latest one.
    var most: Int? { seconds.last }

    private typealias News = [(second: Int, update: WatchUpdate)]

    init(
        of news: [(second: Int, update: WatchUpdate)], after reference: [(second: Int, update: WatchUpdate)],
        request: MonitorRequest, drive: Drive
    ) {
        compare(news, with: reference)
        if let change = request.significantChange { compareChanges(news, of: change, on: drive) }
        seconds.sort()
    }

    /// Regions and visits: what is told is the same, sooner or later.
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

    /// Significant changes depend on what was told before: each against who took every fix from then on.
    private mutating func compareChanges(_ news: News, of change: SignificantChange, on drive: Drive) {
        let told = news.filter { $0.update.location != nil }.map(\.second)
        for (index, second) in told.enumerated() {
            var monitor = LocationMonitor(MonitorRequest(significantChange: change))
            _ = monitor.take(drive.fixes[second])
            guard let due = (second + 1..<drive.fixes.count).first(where: { !monitor.take(drive.fixes[$0]).isEmpty })
            else { continue }
            if index + 1 < told.count { seconds.append(told[index + 1] - due) } else { missing += 1 }
        }
    }
}
