@_spi(Programs) public import LocationModel

/// A change from one set of regions to another, no larger than the daemon accepts in one call.
@_spi(Programs) public struct RegionsChange {
    @_spi(Programs) public let added: [Region]?
    @_spi(Programs) public let removed: [String]?
    /// The regions after the change.
    @_spi(Programs) public let result: [Region]

    /// - Returns: `nil` if both sets are equal, in whatever order.
    @_spi(Programs) public init?(from old: [Region], to new: [Region]) {
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

/// Limits the size of a call: the daemon accepts 64 KiB.
@_spi(Programs) public enum MonitorRequestSize {
    /// Bytes, with a reserve for the rest of the call.
    private static let limit = 60_000
    /// The most bytes of JSON that a corner takes, whose numbers have seven decimal places, and that a region takes
    /// without its corners and identifier.
    private static let (corner, rest) = (52, 200)

    /// The longest prefix that fits into a call. It has at least one region, for the largest one fits.
    @_spi(Programs) public static func fitting(_ regions: [Region]) -> [Region] { prefix(regions, size) }

    /// The longest prefix that fits into a call beside the regions; at least one identifier if there are no regions.
    static func fitting(_ identifiers: [String], beside regions: [Region]) -> [String] {
        prefix(identifiers, after: regions.reduce(0) { $0 + size($1) }, size)
    }

    private static func size(_ region: Region) -> Int {
        let corners = if case .polygon(let polygon) = region.shape { polygon.corners.count } else { 0 }
        return rest + corner * corners + size(region.identifier)
    }

    /// Every byte may need an escape sequence.
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
