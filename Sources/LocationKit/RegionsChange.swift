package import LocationModel

/// A step from some regions to others, no larger than the daemon takes at once.
package struct RegionsChange {
    package let added: [Region]?
    package let removed: [String]?
    /// The regions after the step.
    package let result: [Region]

    /// - Returns: `nil` if both are the same, in whatever order.
    package init?(from old: [Region], to new: [Region]) {
        let known = Dictionary(old.map { ($0.identifier, $0) }) { $1 }
        let wanted = Set(new.map(\.identifier))
        let news = MonitorRequestSize.fitting(new.filter { known[$0.identifier] != $0 })
        let gone = MonitorRequestSize.fitting(
            old.map(\.identifier).filter { !wanted.contains($0) }, beside: news)
        guard !gone.isEmpty || !news.isEmpty else { return nil }
        (added, removed) = (news.isEmpty ? nil : news, gone.isEmpty ? nil : gone)
        var result = MonitorSubjects(lastOfEach: old + news)
        result.remove(Set(gone))
        self.result = result.regions
    }
}

/// How much goes into one call: the daemon takes 64 KiB.
package enum MonitorRequestSize {
    /// Bytes, with some to spare for the rest of the call.
    private static let limit = 60_000
    /// What JSON needs for a corner, whose numbers have seven decimal places, and for a region without its corners and
    /// identifier, bytes at most.
    private static let (corner, rest) = (52, 200)

    /// As many of the first as fit, and at least one, for the greatest region does.
    package static func fitting(_ regions: [Region]) -> [Region] { prefix(regions, size) }

    /// As many of the first as fit beside regions; where there are none, at least one.
    static func fitting(_ identifiers: [String], beside regions: [Region]) -> [String] {
        prefix(identifiers, after: regions.reduce(0) { $0 + size($1) }, size)
    }

    private static func size(_ region: Region) -> Int {
        let corners = if case .polygon(let polygon) = region.shape { polygon.corners.count } else { 0 }
        return rest + corner * corners + size(region.identifier)
    }

    /// Each byte may need an escape.
    private static func size(_ identifier: String) -> Int { 6 * identifier.utf8.count + 4 }

    private static func prefix<Element>(
        _ elements: [Element], after begin: Int = 0, _ size: (Element) -> Int
    ) -> [Element] {
        var sum = begin
        return Array(
            elements.prefix { element in
                defer { sum += size(element) }
                return sum == 0 || sum + size(element) <= limit
            })
    }
}
