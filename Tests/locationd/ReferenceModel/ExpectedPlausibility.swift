@_spi(Programs) package import LocationModel

/// Which fixes a receiver is not believed, by the documented rules.
package struct ExpectedPlausibility {
    private struct Course {
        var believed: Location?
        /// Those that were held back one after the other and agree with each other, none of them at null island.
        var doubted: [Location] = []
    }

    private let settings: PlausibilitySettings
    private var courses: [ExpectedReceivers.Key: Course] = [:]

    package init(_ settings: PlausibilitySettings = PlausibilitySettings()) {
        self.settings = settings
    }

    /// - Returns: why the fix is held back; `nil` if it is believed.
    mutating func judge(_ fix: Location, of key: ExpectedReceivers.Key) -> Implausibility? {
        guard key.rank >= 0, fix.source.method != .fixedPosition else { return nil }
        var course = courses[key] ?? Course()
        defer { courses[key] = course }
        if isAtNullIsland(fix), !hasTravelled(near: course.believed) {
            course.doubted = []
            return .nullIsland
        }
        guard let former = course.believed, let reason = contradiction(former, fix) else {
            course = Course(believed: fix)
            return nil
        }
        if let last = course.doubted.last, contradiction(last, fix) != nil { course.doubted = [] }
        let isNewEpoch = fix.timestamp == nil || fix.timestamp != course.doubted.last?.timestamp
        if isNewEpoch || course.doubted.isEmpty {
            course.doubted.append(fix)
        } else {
            course.doubted[course.doubted.count - 1] = fix
        }
        guard course.doubted.count >= settings.confirmations else { return reason }
        course = Course(believed: fix)
        return nil
    }

    private func isAtNullIsland(_ fix: Location) -> Bool {
        guard let radius = settings.nullIslandRadius, fix.speed ?? 0 < 0.5 else { return false }
        return distanceToNullIsland(fix) <= radius
    }

    private func hasTravelled(near believed: Location?) -> Bool {
        believed.map { distanceToNullIsland($0) <= 100_000 } ?? false
    }

    private func distanceToNullIsland(_ fix: Location) -> Double {
        Coordinate(latitude: 0, longitude: 0).map { fix.coordinate.distance(to: $0) } ?? .infinity
    }

    private func contradiction(_ former: Location, _ fix: Location) -> Implausibility? {
        var seconds = [0, fix.monotonicTime.seconds(since: former.monotonicTime)]
        if let time = fix.timestamp, let formerTime = former.timestamp {
            let passed = time.seconds(since: formerTime)
            if let tolerance = settings.timeTolerance, passed < -tolerance { return .timeRunsBack }
            seconds.append(passed)
        }
        guard let speed = settings.maximumSpeed, let longest = seconds.max() else { return nil }
        let accuracies = [former, fix].map { $0.horizontalAccuracy ?? 100 }
        let reach = longest * speed + 3 * (accuracies[0] + accuracies[1])
        return former.coordinate.distance(to: fix.coordinate) > reach ? .jump : nil
    }
}
