import LocationModel

/// A step from some regions to others, no larger than the daemon takes at once.
struct RegionsChange {
    let added: [Region]?
    let removed: [String]?
    /// The regions after the step.
    let result: [Region]

    /// - Returns: `nil` if both are the same, in whatever order.
    init?(from old: [Region], to new: [Region]) {
        let known = Dictionary(old.map { ($0.identifier, $0) }) { $1 }
        let wanted = Set(new.map(\.identifier))
        let gone = MonitorRequestSize.fitting(old.map(\.identifier).filter { !wanted.contains($0) })
        let news = MonitorRequestSize.fitting(new.filter { known[$0.identifier] != $0 })
        guard !gone.isEmpty || !news.isEmpty else { return nil }
        (added, removed) = (news.isEmpty ? nil : news, gone.isEmpty ? nil : gone)
        var result = MonitorSubjects(regions: old + news)
        result.remove(Set(gone))
        self.result = result.regions
    }
}

/// How much goes into one call: the daemon takes 64 KiB, of which either half is for additions and removals.
enum MonitorRequestSize {
    private static let limit = 30_000
    /// What JSON needs for a corner, and for a region without its corners and identifier, bytes at most.
    private static let (corner, rest) = (75, 200)

    /// As many of the first as fit, and at least one.
    static func fitting(_ regions: [Region]) -> [Region] {
        prefix(regions) { region in
            let corners = if case .polygon(let polygon) = region.shape { polygon.corners.count } else { 0 }
            return rest + corner * corners + size(region.identifier)
        }
    }

    /// As many of the first as fit, and at least one.
    static func fitting(_ identifiers: [String]) -> [String] { prefix(identifiers, size) }

    /// Each byte may need an escape.
    private static func size(_ identifier: String) -> Int { 6 * identifier.utf8.count + 4 }

    private static func prefix<Element>(_ elements: [Element], _ size: (Element) -> Int) -> [Element] {
        var sum = 0
        return Array(
            elements.prefix { element in
                defer { sum += size(element) }
                return sum == 0 || sum + size(element) <= limit
            })
    }
}
