import FoundationEssentials
@_spi(Programs) package import LocationModel
@_spi(Programs) package import SystemSupport

extension LineSplitter {
    /// The longest line of gpsd that is read. Real ones reach 6.6 kB (82 satellites); libgps' own reader stops
    /// permanently at 20 480.
    package static let gpsdLimit = 131_072

    /// A splitter for the lines of one connection. An overlong line is skipped.
    package static func gpsd() -> LineSplitter {
        LineSplitter(limit: gpsdLimit, overlong: .skip, omitsEmptyLines: true)
    }
}

/// The protocol of one connection to gpsd, without I/O: lines go in, actions come out.
package struct Conversation: ~Copyable {
    package enum Step: Equatable {
        case send(String)
        case emit(SourceEvent)
        /// Count a line that cannot be used.
        case count(String, example: [UInt8])
        /// Close, and try again later.
        case fail(ConnectionFailure)
    }

    private enum Phase {
        case greeting
        case watching
        case streaming
    }

    /// Seconds gpsd may take to greet and to answer: it probes receivers for up to 6.5 s and answers no client
    /// meanwhile.
    static let handshakeTimeout = 10.0

    /// gpsd has six receivers at most; a longer list of names is an attempt to exhaust memory.
    static let devicesLimit = 100

    private let source: String
    private let endpoint: GPSDEndpoint
    private let silenceTimeout: Double
    private let unpacker = Unpacker()
    private var phase = Phase.greeting
    private var lastReceived: BootInstant
    private var devices: [String] = []
    private var states: [String?: DeviceState] = [:]
    private var condition = SourceCondition.connecting(reason: nil)
    /// What keeps receivers from a fix, by their own words.
    private var obstacles: [String?: String] = [:]
    /// True once a receiver's report came.
    private(set) var isProductive = false

    package init(source: String, endpoint: GPSDEndpoint, silenceTimeout: Double, at now: BootInstant) {
        self.source = source
        self.endpoint = endpoint
        self.silenceTimeout = silenceTimeout
        lastReceived = now
    }

    /// When the time-out for gpsd's silence expires.
    var deadline: BootInstant {
        lastReceived.advanced(bySeconds: phase == .streaming ? silenceTimeout : Self.handshakeTimeout)
    }

    /// The failure if the deadline has passed.
    var failureAtDeadline: ConnectionFailure {
        switch phase {
        case .greeting: .noGreeting
        case .watching: .noWatch
        case .streaming: .silent(seconds: Int(silenceTimeout), devices: devices)
        }
    }

    /// The failure if the stream has ended.
    var failureAtEnd: ConnectionFailure {
        phase == .greeting ? .closedWithoutData : .closed
    }

    /// - Parameter needsSatellites: whether lists of satellites are needed, or their counts alone.
    package mutating func receive(_ line: [UInt8], needsSatellites: Bool = true, at now: BootInstant) -> [Step] {
        switch MessageGate.passage(for: line) {
        case .report(let kind, let facts):
            markReceived(at: now)
            return report(line, kind, facts, needsSatellites, at: now)
        case .control(let name):
            guard let message = ControlMessage(line, class: name) else {
                return [.count("malformed", example: line)]
            }
            markReceived(at: now)
            return control(message, line, at: now)
        case .ignored:
            markReceived(at: now)
            return []
        case .rejected(let rejection):
            guard phase != .greeting else { return [.fail(.notGPSD)] }
            return [.count(rejection.rawValue, example: line)]
        }
    }

    /// Only reports and what accompanies them extend the deadline: nothing else may prolong a handshake.
    private mutating func markReceived(at now: BootInstant) {
        if phase == .streaming { lastReceived = now }
    }

    private mutating func enter(_ next: Phase, at now: BootInstant) {
        phase = next
        lastReceived = now
    }

    private mutating func control(_ message: ControlMessage, _ line: [UInt8], at now: BootInstant) -> [Step] {
        switch message {
        case .version:
            guard phase == .greeting else { return [] }
            enter(.watching, at: now)
            return [.send(WatchCommand(device: endpoint.device).line)]
        case .watch:
            guard phase == .watching else { return [] }
            enter(.streaming, at: now)
            condition = presentCondition
            return [.emit(.condition(condition))]
        case .devices(let paths):
            devices = Array(paths.prefix(Self.devicesLimit))
            return reconsidered()
        case .device(let path, let isActive):
            devices.removeAll { $0 == path }
            if isActive, devices.count < Self.devicesLimit { devices.append(path) }
            return reconsidered()
        case .error(let message):
            if phase == .watching { return [.fail(.errorReply(message))] }
            return [.count("errors", example: line)]
        }
    }

    private mutating func report(
        _ line: [UInt8], _ kind: MessageGate.ReportClass, _ facts: JSONScanner.Facts, _ needsSatellites: Bool,
        at now: BootInstant
    ) -> [Step] {
        // Reports before the answer to our WATCH do not belong to it.
        guard phase == .streaming else { return [] }
        guard let report = unpacker.unpack(line, as: kind, facts: facts, needsSatellites: needsSatellites) else {
            return [.count("malformed", example: line)]
        }
        isProductive = true
        switch report {
        case .position(let report): return position(report, line, at: now)
        case .sky(let sky):
            if states.count > Self.devicesLimit { states = [:] }
            states[sky.device, default: DeviceState()].applySky(sky, at: now)
            if let satellites = sky.satellites {
                return [.emit(.satellites(satellites, device: sky.device, at: now))]
            }
            return sky.counts.map { [.emit(.satelliteCounts($0, device: sky.device, at: now))] } ?? []
        case .errors(let errors):
            if states.count > Self.devicesLimit { states = [:] }
            states[errors.device, default: DeviceState()].applyErrors(errors, at: now)
            return []
        case .attitude(let attitude):
            guard let heading = Heading(attitude) else { return [] }
            return [.emit(.heading(heading, device: attitude.device, at: now))]
        }
    }

    private mutating func position(_ report: PositionReport, _ line: [UInt8], at now: BootInstant) -> [Step] {
        var spoilt = 0
        var steps: [Step] = []
        switch report.verdict(source: source, at: now, spoilt: &spoilt) {
        case .fix(var location):
            let errors = AccuracyOrigin.OtherErrors(
                spherical: report.sphericalAccuracy, east: report.longitudeAccuracy, north: report.latitudeAccuracy)
            states[report.device]?.complete(&location, errors: errors, at: now)
            steps.append(.emit(.fix(location)))
        case .noFix: steps.append(.emit(.noFix(device: report.device)))
        case .withoutPosition: break
        case .rejected: return [.count("impossible", example: line)]
        }
        if spoilt > 0 { steps.append(.count("spoiltFields", example: line)) }
        let obstacle = report.obstacle
        guard obstacle != nil || !obstacles.isEmpty, obstacle != obstacles[report.device] else { return steps }
        if obstacles.count > Self.devicesLimit { obstacles = [:] }
        obstacles[report.device] = obstacle
        return reconsidered() + steps
    }

    /// Whether there is a receiver, and else what is missing for a fix, in words.
    private var presentCondition: SourceCondition {
        if let reason = missingReceiver { return .unavailable(reason: reason) }
        return .connected(reason: obstacles.min { $0.value < $1.value }?.value)
    }

    private var missingReceiver: String? {
        if let wanted = endpoint.device, !devices.contains(wanted) {
            let others = devices.isEmpty ? "none" : Printable.text(devices)
            return "gpsd at \(endpoint) does not have \(wanted) (it has: \(others)); check `device` in locationd.toml"
        }
        guard devices.isEmpty else { return nil }
        return "gpsd at \(endpoint) has no receiver; plug one in, or name its device in /etc/default/gpsd"
    }

    private mutating func reconsidered() -> [Step] {
        guard phase == .streaming, presentCondition != condition else { return [] }
        condition = presentCondition
        return [.emit(.condition(condition))]
    }
}

extension Heading {
    /// - Returns: `nil` if the report has no plausible angle.
    init?(_ report: AttitudeReport) {
        self.init()
        trueHeading = report.heading.flatMap(Self.direction)
        magneticHeading = report.magneticHeading.flatMap(Self.direction)
        pitch = report.pitch.flatMap { (-90...90).contains($0) ? $0 : nil }
        roll = report.roll.flatMap { (-180...180).contains($0) ? $0 : nil }
        timestamp = report.time
        guard hasDirection || pitch != nil || roll != nil else { return nil }
    }

    private static func direction(_ degrees: Double) -> Double? {
        (0...360).contains(degrees) ? (degrees == 360 ? 0 : degrees) : nil
    }
}

/// gpsd's messages about itself rather than about a position, parsed leniently: only the members that are used, and
/// only if they have the right type.
enum ControlMessage: Equatable {
    case version(release: String?)
    case devices([String])
    /// A device appeared or, if `isActive` is false, disappeared.
    case device(path: String, isActive: Bool)
    case watch
    case error(String)

    /// - Returns: `nil` if the line is not JSON or lacks what its class requires. Devices without a path are left out.
    ///   An ERROR counts even if it is not JSON, because gpsd quotes its input without escaping it.
    init?(_ line: [UInt8], class name: String) {
        guard let fields = try? JSONDecoder().decode(Fields.self, from: Data(line)) else {
            guard name == "ERROR" else { return nil }
            self = .error(String(decoding: line, as: UTF8.self))
            return
        }
        switch name {
        case "VERSION": self = .version(release: fields.release)
        case "WATCH": self = .watch
        case "ERROR": self = .error(fields.message ?? "no message")
        case "DEVICES":
            guard let devices = fields.devices else { return nil }
            self = .devices(devices)
        case "DEVICE":
            guard let path = fields.path else { return nil }
            self = .device(path: path, isActive: fields.isActive)
        default: return nil
        }
    }

    private struct Fields: Decodable {
        let release: String?
        let message: String?
        let path: String?
        let isActive: Bool
        let devices: [String]?

        enum Key: String, CodingKey { case release, message, path, activated, devices }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            release = try? container.decode(String.self, forKey: .release)
            message = try? container.decode(String.self, forKey: .message)
            path = try? container.decode(String.self, forKey: .path)
            // The time of activation, or 0 when the device was closed; absent in a list of idle ones.
            isActive = (try? container.decode(Double.self, forKey: .activated)) != 0
            devices = (try? container.decode([Element].self, forKey: .devices))?.compactMap(\.path)
        }
    }

    private struct Element: Decodable {
        let path: String?

        enum Key: String, CodingKey { case path }

        init(from decoder: any Decoder) throws {
            path = try? decoder.container(keyedBy: Key.self).decode(String.self, forKey: .path)
        }
    }
}

/// The line that requests reports from gpsd; `json` is required, because `enable` alone produces none.
struct WatchCommand: Encodable {
    let enable = true
    let json = true
    let device: String?

    private enum CodingKeys: String, CodingKey { case enable, json, device }

    var line: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        let object = (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
        return "?WATCH=\(object ?? #"{"enable":true,"json":true}"#);\n"
    }
}
