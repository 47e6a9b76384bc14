import FoundationEssentials
import LocationKit

/// An event in the form that the judge compares: the interface's names, and nothing that is absent.
struct Event: Encodable {
    let kind: String
    /// What the event is about, with its own members.
    private var body: (any Encodable & Sendable)?
    /// Members beside those of the body, or in their place.
    private var members: [String: any Encodable & Sendable] = [:]

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private init(_ kind: String, _ body: (any Encodable & Sendable)? = nil) {
        self.kind = kind
        self.body = body
    }

    func encode(to encoder: any Encoder) throws {
        try body?.encode(to: encoder)
        var container = encoder.container(keyedBy: Name.self)
        try container.encode(kind, forKey: Name(stringValue: "event"))
        for (name, value) in members { try container.encode(value, forKey: Name(stringValue: name)) }
    }
}

extension Event {
    static var end: Event { Event("end") }

    static func location(_ location: Location, dropped: Int = 0) -> Event {
        var event = Event("location", location)
        event.members["age"] = location.age
        if dropped > 0 { event.members["dropped"] = dropped }
        return event
    }

    static func status(_ status: ServiceStatus) -> Event { Event("status", status) }

    /// A decision of which no more than the level is known.
    static func authorization(_ status: AuthorizationStatus) -> Event {
        var event = Event("status")
        event.members["authorization"] = status
        return event
    }

    /// What a client says of an outage, with the status that was heard last.
    static func outage(_ error: LocationError, after status: ServiceStatus?) -> Event {
        var event = Event("status", status)
        event.members["source"] = SourceState.unavailable
        event.members["reason"] = "\(error)"
        event.members["outage"] = true
        return event
    }

    static func heading(_ heading: Heading) -> Event { Event("heading", heading) }

    static func satellites(_ satellites: [Satellite]) -> Event {
        var event = Event("satellites")
        event.members["satellites"] = satellites
        return event
    }

    static func region(_ report: RegionReport) -> Event {
        var event = Event("region")
        event.members["report"] = ReportBody(report)
        return event
    }

    static func visit(_ visit: Visit) -> Event { Event("visit", visit) }

    static func monitors(_ monitors: [NamedMonitor]) -> Event {
        var event = Event("monitors")
        event.members["monitors"] = monitors.map { MonitorBody($0) }
        return event
    }

    static func error(_ error: LocationError) -> Event {
        var event = Event("error")
        event.members["name"] = error.wireName
        event.members["message"] = "\(error)"
        switch error {
        case .unavailable(_, let best?), .timedOut(let best?): event.members["best"] = best
        case .unauthorized(let status, _): event.members["authorization"] = status
        default: break
        }
        return event
    }
}

private struct ReportBody: Encodable {
    let identifier: String
    let state: RegionState
    let event: RegionEvent?
    let location: Location?

    init(_ report: RegionReport) {
        (identifier, state, event, location) = (report.identifier, report.state, report.event, report.location)
    }
}

private struct MonitorBody: Encodable {
    let name: String
    let active: Bool
    let regions: [Region]
    let significantChange: SignificantChange?
    let visits: Bool
    let reports: [ReportBody]

    init(_ monitor: NamedMonitor) {
        (name, active) = (monitor.name, monitor.isActive)
        (regions, visits) = (monitor.subjects.regions, monitor.subjects.visits)
        significantChange = monitor.subjects.significantChange
        reports = monitor.reports.map { ReportBody($0) }
    }
}

extension LocationError {
    /// The interface's name of the error; `Unreachable` where there is no usable answer.
    fileprivate var wireName: String {
        switch self {
        case .daemonNotRunning, .disconnected, .protocolViolation, .cancelled: "Unreachable"
        case .unauthorized: "NotAuthorized"
        case .disabled: "Disabled"
        case .unavailable: "LocationUnavailable"
        case .timedOut: "TimedOut"
        case .tooManyClients: "TooManyClients"
        case .tooManyRequests: "TooManyRequests"
        case .tooManyAuthorizations: "TooManyAuthorizations"
        case .tooManyRegions: "TooManyRegions"
        case .noSuchMonitor: "NoSuchMonitor"
        case .monitorInUse: "MonitorInUse"
        case .invalidParameter: "InvalidParameter"
        case .refused(let error, _): error.split(separator: ".").last.map(String.init) ?? "Unreachable"
        }
    }

    /// Whether the connection is at fault, and is tried again.
    var isOutage: Bool {
        switch self {
        case .daemonNotRunning, .disconnected, .protocolViolation, .tooManyClients, .tooManyRequests: true
        default: false
        }
    }
}
