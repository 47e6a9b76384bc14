import LocationInterface
import Testing

@testable import LocationKit

/// A ``MonitorConnector`` with a clock that the test sets, and what it is given.
struct MonitorScript {
    var link = MonitorConnector(path: "/run/x")
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

    static func kept(_ subjects: MonitorSubjects) -> KeptMonitor {
        KeptMonitor(
            name: "walk", regions: subjects.regions, significantChange: subjects.significantChange,
            monitorsVisits: subjects.visits)
    }

    /// The wish, and what settling does.
    mutating func wish(_ subjects: MonitorSubjects?, name: String? = nil) -> [MonitorConnector.Action] {
        link.wish = MonitorInterest(name: name, subjects: subjects)
        return settle()
    }

    mutating func settle() -> [MonitorConnector.Action] { link.settle(at: moment, jitter: jitter) }

    mutating func listed(_ kept: MonitorSubjects?) -> [MonitorConnector.Action] {
        link.listed(kept.map(Self.kept)) + settle()
    }

    mutating func changed() -> [MonitorConnector.Action] { link.changed() + settle() }

    mutating func changeFailed(_ error: LocationError) -> [MonitorConnector.Action] {
        link.changeFailed(error, at: moment, jitter: jitter)
    }

    mutating func told(_ reply: MonitorReply = MonitorReply(status: MultiplexerScript.status()), continues: Bool = true)
        -> [MonitorConnector.Action]
    {
        link.receive(reply, continues: continues, at: moment, jitter: jitter) + settle()
    }

    mutating func ended(_ error: LocationError = .disconnected) -> [MonitorConnector.Action] {
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

extension [MonitorConnector.Action] {
    var news: [MonitorTransportEvent] { compactMap { if case .tell(let news) = $0 { news } else { nil } } }
    var opened: [MonitorParameters] { compactMap { if case .open(let parameters) = $0 { parameters } else { nil } } }
    var changes: [ChangeRegionsParameters] {
        compactMap { if case .change(let parameters) = $0 { parameters } else { nil } }
    }
}
