import GPSDProtocol

/// How many clients of a user want which reports, so that nothing has to be counted for each request. Pure.
struct DemandCount {
    /// What one client wants.
    struct Share: Equatable {
        var demand = GPSDSession.Demand.nothing
        var wantsSentences = false

        static let nothing = Share()
    }

    private var counts = [0, 0]
    private var sentences = 0

    /// What all of them want together.
    var demand: GPSDSession.Demand {
        GPSDSession.Demand.allCases.last { counts[$0.rawValue] > 0 } ?? .nothing
    }

    /// Whether one wants sentences of NMEA.
    var wantsSentences: Bool { sentences > 0 }

    /// A client wants something else than before.
    mutating func change(from former: Share, to share: Share) {
        counts[former.demand.rawValue] -= former.demand == .nothing ? 0 : 1
        counts[share.demand.rawValue] += share.demand == .nothing ? 0 : 1
        sentences += (share.wantsSentences ? 1 : 0) - (former.wantsSentences ? 1 : 0)
    }
}
