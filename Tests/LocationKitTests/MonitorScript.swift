import LocationInterface
import Testing

@testable import LocationKit

/// A ``MonitorLink`` with a clock that the test sets, and what it is given.
struct MonitorScript {
    var link = MonitorLink(path: "/run/x")
    /// Seconds since boot.
    var now = 100.0
    /// Neither early nor late.
    var jitter = 0.5

    private var moment: BootInstant { BootInstant(seconds: now) }

    static func region(_ identifier: String, radius: Double = 100) throws -> Region {
        let center = try #require(Coordinate(latitude: 52, longitude: 13))
        return try Region(identifier: identifier, shape: .circle(RegionCircle(center: center, radius: radius)))
    }

    static func subjects(_ names: String..., visits: Bool = false) throws -> MonitorSubjects {
        MonitorSubjects(regions: try names.map { try region($0) }, visits: visits)
    }

    static func kept(_ subjects: MonitorSubjects) -> NamedMonitor {
        NamedMonitor(name: "walk", subjects: subjects)
    }

    /// The wish, and what settling does.
    mutating func wish(_ subjects: MonitorSubjects?, name: String? = nil) -> [MonitorLink.Action] {
        link.wish = MonitorRequest(name: name, subjects: subjects)
        return settle()
    }

    mutating func settle() -> [MonitorLink.Action] { link.settle(at: moment, jitter: jitter) }

    mutating func listed(_ kept: MonitorSubjects?) -> [MonitorLink.Action] {
        link.listed(kept.map(Self.kept)) + settle()
    }

    mutating func changed() -> [MonitorLink.Action] { link.changed() + settle() }

    mutating func changeFailed(_ error: LocationError) -> [MonitorLink.Action] {
        link.changeFailed(error, at: moment, jitter: jitter)
    }

    mutating func told(_ reply: MonitorReply = MonitorReply(status: LinkScript.status()), continues: Bool = true)
        -> [MonitorLink.Action]
    {
        link.receive(reply, continues: continues, at: moment, jitter: jitter) + settle()
    }

    mutating func ended(_ error: LocationError = .disconnected) -> [MonitorLink.Action] {
        link.ended(error, at: moment, jitter: jitter)
    }

    /// Seconds from now until the link wants to be settled.
    var wait: Double? { link.deadline.map { $0.seconds(since: moment) } }

    /// Wished, answered, and so open.
    mutating func open(_ subjects: MonitorSubjects, name: String? = nil) {
        _ = wish(subjects, name: name)
        if name != nil { _ = listed(nil) }
        _ = told()
    }
}

extension [MonitorLink.Action] {
    var news: [MonitorNews] { compactMap { if case .tell(let news) = $0 { news } else { nil } } }
    var opened: [MonitorRequest] { compactMap { if case .open(let parameters) = $0 { parameters } else { nil } } }
    var changes: [ChangeRegionsParameters] {
        compactMap { if case .change(let parameters) = $0 { parameters } else { nil } }
    }
}
