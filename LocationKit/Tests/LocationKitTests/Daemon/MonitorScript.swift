@_spi(Programs) import LocationInterface
import Testing

@_spi(Programs) @testable import LocationKit

/// A ``MonitorConnector`` whose clock and input the test sets.
struct MonitorScript {
    var connector = MonitorConnector(path: "/run/x")
    /// Seconds since boot.
    var now = 100.0
    /// The middle of the jitter's range.
    var jitter = 0.5

    private var moment: BootInstant { BootInstant(seconds: now) }

    static func region(_ identifier: String, radius: Double = 100) throws -> Region {
        let center = try #require(Coordinate(latitude: 52, longitude: 13))
        return try Region(identifier: identifier, shape: .circle(RegionCircle(center: center, radius: radius)))
    }

    static func subjects(_ names: String..., visits: Bool = false) throws -> MonitorSubjects {
        MonitorSubjects(regions: try names.map { try region($0) }, visits: visits)
    }

    static func persisted(_ subjects: MonitorSubjects) -> NamedMonitor {
        NamedMonitor(name: "walk", subjects: subjects)
    }

    /// Sets the interest, and returns the actions that follow.
    mutating func setInterest(_ subjects: MonitorSubjects?, name: String? = nil) -> [MonitorConnector.Action] {
        connector.interest = MonitorRequest(name: name, subjects: subjects)
        return nextActions()
    }

    mutating func nextActions() -> [MonitorConnector.Action] { connector.nextActions(at: moment, jitter: jitter) }

    mutating func receiveList(_ persisted: MonitorSubjects?) -> [MonitorConnector.Action] {
        connector.receiveList(persisted.map(Self.persisted)) + nextActions()
    }

    mutating func changeSucceeded() -> [MonitorConnector.Action] { connector.changeSucceeded() + nextActions() }

    mutating func changeFailed(_ error: LocationError) -> [MonitorConnector.Action] {
        connector.changeFailed(error, at: moment, jitter: jitter)
    }

    mutating func reply(
        _ reply: MonitorReply = MonitorReply(status: SharingScript.status()), continues: Bool = true
    )
        -> [MonitorConnector.Action]
    {
        connector.receive(reply, continues: continues, at: moment, jitter: jitter) + nextActions()
    }

    mutating func connectionEnded(_ error: LocationError = .disconnected) -> [MonitorConnector.Action] {
        connector.connectionEnded(error, at: moment, jitter: jitter)
    }

    /// Seconds from now until the connector's deadline.
    var wait: Double? { connector.deadline.map { $0.seconds(since: moment) } }

    /// Sets an interest and answers its calls, so that the monitor is open.
    mutating func open(_ subjects: MonitorSubjects, name: String? = nil) {
        _ = setInterest(subjects, name: name)
        if name != nil { _ = receiveList(nil) }
        _ = reply()
    }
}

extension [MonitorConnector.Action] {
    var events: [MonitorTransportEvent] { compactMap { if case .deliver(let event) = $0 { event } else { nil } } }
    var opened: [MonitorRequest] { compactMap { if case .open(let parameters) = $0 { parameters } else { nil } } }
    var changes: [ChangeRegionsParameters] {
        compactMap { if case .change(let parameters) = $0 { parameters } else { nil } }
    }
}
