import Fleet
import LocationFormats
@_spi(Programs) import LocationKit

/// The devices of a broker, as their messages show them.
struct FleetDevices {
    struct Device: Equatable, Encodable {
        /// The newest location by its own time; an older one that comes later is not taken for new.
        var location: DeviceReport?
        /// Whether its connection is broken, as its last will says, and it has not been heard of since.
        var isGone = false
        /// The newest transition, such as `entered harbour`.
        var event: String?
        var name: String?
    }

    /// Devices that are kept; whoever may publish could invent any number.
    static let limit = 10_000

    private(set) var devices: [String: Device] = [:]
    /// Messages that were ignored, by the program that receives them and here.
    private(set) var ignored = 0
    private var surplus = 0
    /// Messages that came faster than they were read, so that nobody has seen them.
    private(set) var dropped = 0
    /// Why there is no connection; empty if there is one, `nil` if nothing is known yet.
    private(set) var state: String?

    /// - Returns: the report, if it tells something new.
    mutating func apply(_ line: DeviceListLine) -> DeviceReport? {
        if let state = line.state { self.state = state }
        if let count = line.ignored { ignored = count + surplus }
        if let count = line.dropped { dropped = count }
        guard let report = line.report else { return nil }
        guard devices[report.device] != nil || devices.count < Self.limit else {
            (surplus, ignored) = (surplus + 1, ignored + 1)
            return nil
        }
        return devices[report.device, default: Device()].apply(report) ? report : nil
    }

    func lines(at now: UTCTime) -> [String] {
        var table = Table(["DEVICE", "POSITION", "ACCURACY", "SPEED", "AGE", "BATTERY", "STATE"])
        for (name, device) in devices.sorted(by: { $0.key < $1.key }) { table.add(device.row(name, at: now)) }
        return table.lines + notes
    }

    /// What is missing in the table, and why.
    var notes: [String] {
        var notes: [String] = []
        if let state, !state.isEmpty { notes.append("-- \(state)") }
        if devices.isEmpty, state == "" { notes.append("-- no device has reported a position") }
        if ignored > 0 {
            notes.append(
                "-- \(ignored) \(ignored == 1 ? "message was" : "messages were") ignored: no valid messages of devices")
        }
        if dropped > 0 {
            notes.append(
                "-- \(dropped) \(dropped == 1 ? "message was" : "messages were") dropped: more came than could be read")
        }
        return notes
    }

    /// A FeatureCollection (RFC 7946) of all positions.
    var featureCollection: FleetFeatures {
        FleetFeatures(
            features: devices.sorted { $0.key < $1.key }.compactMap { name, device in
                FleetFeature(device: name, device.location, isGone: device.isGone, name: device.name)
            })
    }
}

extension FleetDevices.Device {
    /// - Returns: whether it is news.
    fileprivate mutating func apply(_ report: DeviceReport) -> Bool {
        switch report.kind {
        case .lwt:
            isGone = true
            return true
        case .card:
            name = report.name
            return true
        case .location, .transition:
            // What the broker had kept may be older than the last will.
            if !report.isRetained { isGone = false }
            if let known = location?.tst, let time = report.tst, time < known { return false }
            location = report
            if let event = report.event {
                self.event = (event == "enter" ? "entered" : "left") + (report.desc.map { " \($0)" } ?? " a region")
            }
            return true
        }
    }

    func row(_ name: String, at now: UTCTime) -> [String] {
        // To a metre, so that the state has room on a terminal of 80 columns.
        let position = location.flatMap { location in
            location.lat.flatMap { lat in location.lon.map { "\(Text.number(lat, 5)), \(Text.number($0, 5))" } }
        }
        // What matters most comes first: a narrow terminal clips the rest.
        let state = [
            isGone ? "gone" : nil, location?.simulated == true ? "simulated" : nil, event, self.name,
        ].compactMap(\.self)
        return [
            name, position ?? "-", location?.acc.map { "±\(Text.distance($0))" } ?? "-",
            location?.vel.map { "\(Text.number($0, 0)) km/h" } ?? "-", age(at: now) ?? "-",
            location?.batt.map { "\(Text.number($0, 0)) %" } ?? "-", state.joined(separator: ", "),
        ]
    }

    /// By the time of the fix; the clocks of a device and of this machine may differ.
    private func age(at now: UTCTime) -> String? {
        guard let time = location?.tst else { return nil }
        let age = Double(now.seconds - time)
        return age < -5 ? "\(Text.wholeDuration(-age)) ahead" : Text.wholeDuration(max(0, age))
    }
}

/// A position as a Feature of GeoJSON. Its properties have OwnTracks' names and units.
struct FleetFeature: Encodable {
    private struct Point: Encodable {
        let type = "Point"
        let coordinates: [Double]

        private enum CodingKeys: String, CodingKey { case type, coordinates }
    }

    private struct Properties: Encodable {
        let device: String
        let name: String?
        let tst: Int64?
        let acc, alt, vel, cog, batt: Double?
        let event, desc: String?
        let simulated, gone: Bool?
    }

    private let type = "Feature"
    private let geometry: Point
    private let properties: Properties

    private enum CodingKeys: String, CodingKey { case type, geometry, properties }

    /// - Returns: `nil` without a position.
    init?(device: String, _ location: DeviceReport?, isGone: Bool = false, name: String? = nil) {
        guard let location, let lat = location.lat, let lon = location.lon else { return nil }
        geometry = Point(coordinates: [lon, lat])
        properties = Properties(
            device: device, name: name, tst: location.tst, acc: location.acc, alt: location.alt, vel: location.vel,
            cog: location.cog, batt: location.batt, event: location.event, desc: location.desc,
            simulated: location.simulated, gone: isGone ? true : nil)
    }
}

struct FleetFeatures: Encodable {
    let type = "FeatureCollection"
    let features: [FleetFeature]

    private enum CodingKeys: String, CodingKey { case type, features }
}
