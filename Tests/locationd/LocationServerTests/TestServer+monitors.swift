@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

extension TestServer {
    /// A client whose monitor is open; it has read the opening status.
    func monitor(_ parameters: String, over client: WireClient? = nil) async throws -> WireClient {
        let client = try client ?? connect()
        try await client.send(LocationInterface.Method.monitor, parameters, flags: "\"more\":true")
        let opening = try await client.message()
        guard opening.error == nil else { throw Failure("no monitor: \(opening.text)") }
        return client
    }

    /// The machine is now so many metres north of the middle of the ``circle(_:)``. `number` rises.
    func post(fix number: Int, metresNorth: Double) throws {
        var location = try Sample.fix(number)
        location.coordinate = try #require(Coordinate(latitude: 52.5 + metresNorth / 111_272, longitude: 13))
        location.monotonicTime = .present
        post(.fix(location))
    }
}

extension WireClient {
    /// The next report of a region; other replies are passed over.
    func report() throws -> RegionReportOnWire {
        while true {
            let message = try message()
            guard message.error == nil else { throw Failure("an error: \(message.text)") }
            if let report = try message.parameters(as: MonitorReply.self).region { return report }
        }
    }

    /// So many reports of regions, such as `home inside entered`.
    func reports(_ count: Int) throws -> [String] {
        try (0..<count).map { _ in
            let report = try report()
            return "\(report.identifier) \(report.state)" + (report.event.map { " \($0)" } ?? "")
        }
    }

    /// Whether a report of a region comes in time; other replies are passed over.
    func hasReport(within seconds: Double) throws -> Bool {
        while case .message(let message) = try next(within: seconds) {
            if try message.parameters(as: MonitorReply.self).region != nil { return true }
        }
        return false
    }

    func monitors() throws -> [NamedMonitorOnWire] {
        try call(LocationInterface.Method.listMonitors).parameters(as: ListMonitorsReply.self).monitors
    }
}

/// A circle of 200 metres, as a client writes it.
func circle(_ identifier: String = "home") -> String {
    #"{"identifier":"\#(identifier)","center":{"latitude":52.5,"longitude":13},"radius":200}"#
}
