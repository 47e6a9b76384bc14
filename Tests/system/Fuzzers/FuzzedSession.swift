import FoundationEssentials
import GPSDProtocol
import LocationFormats
@_spi(Programs) import LocationModel

/// A client of the bridge, and what holds of everything that it is sent.
///
/// Rules: each line ends in CR LF and is a JSON object of a class that gpsd has, no longer than libgps holds, or an
/// NMEA sentence where those were asked for; answers are bounded by what was asked; a client without a watch is sent no
/// report; a refused one never a position; and libgps reads a fix as what it was, which is written as the same line
/// again.
struct FuzzedSession {
    private static let now = UTCTime(seconds: 1_795_598_366)
    private static let classes: Set = ["VERSION", "DEVICES", "DEVICE", "WATCH", "POLL", "TPV", "SKY", "ERROR"]

    /// Everything that was sent.
    private(set) var sent: [UInt8] = []
    /// Requests were left out because their answers became too long, which depends on how the requests arrived.
    private(set) var hasReachedLimit = false
    private let isJudged: Bool
    private var session = GPSDSession()
    private var isRefused = false

    init(isJudged: Bool) {
        self.isJudged = isJudged
    }

    /// - Parameter cut: the pieces in which bytes arrive.
    mutating func apply(_ step: BridgeStep, cutting cut: ([UInt8]) -> [ArraySlice<UInt8>]) {
        switch step {
        case .bytes(let bytes): for piece in cut(bytes) { receive(piece) }
        case .fix(let location):
            applyReport(GPSDReport(location))
            if isJudged { checkReading(of: location) }
        case .sky(let sky):
            applyReport(GPSDReport(sky))
            if isJudged { checkReading(of: sky) }
        case .noFix(let device): applyReport(.noFix(device: device))
        case .refusal(let sentence):
            isRefused = true
            let bytes = session.applyRefusal(sentence)
            require(session.demand != .nothing || bytes.isEmpty, "bridge: who watches nothing is told nothing")
            send(bytes)
            if isJudged { Tally.count(.refusals) }
        case .devices(let devices): send(session.applyDevices(devices))
        case .accuracyChange: session.forgetReports()
        }
    }

    private mutating func receive(_ bytes: ArraySlice<UInt8>) {
        let answer = bytes.withUnsafeBytes { session.receive($0, at: Self.now) }
        // The last answer, and the sentence that it is one.
        require(answer.count < 65_536 + GPSDReply.longestLine + 1024, "bridge: an answer is bounded")
        let lines = answer.count { $0 == 0x0A }
        // No request has less than two bytes, nor an answer of more than four lines; a line of requests may have
        // begun before.
        require(lines <= 2 * bytes.count + 4 * 17, "bridge: \(bytes.count) bytes are answered by \(lines) lines")
        if answer.count > 65_536 { hasReachedLimit = true }
        send(answer, isAnswer: true)
        if isJudged, !answer.isEmpty { Tally.count(.answers) }
    }

    private mutating func applyReport(_ report: GPSDReport) {
        isRefused = false
        let bytes = session.applyReport(report)
        require(
            bytes.isEmpty || bytes == report.bytes(in: session.forms), "bridge: a report is sent as it was encoded")
        require(session.demand != .nothing || bytes.isEmpty, "bridge: who watches nothing gets no report")
        // The name of the devices' source means each of them.
        let isSelected =
            [nil, "gpsd", report.device].contains(session.device) || report.device == nil
        require(isSelected || bytes.isEmpty, "bridge: who has chosen a device gets no report of others")
        send(bytes)
    }

    private mutating func send(_ bytes: [UInt8], isAnswer: Bool = false) {
        sent += bytes
        guard isJudged, !bytes.isEmpty else { return }
        require(bytes.suffix(2) == [0x0D, 0x0A], "bridge: what is sent is whole lines")
        for line in bytes.split(separator: 0x0A) {
            require(line.count < GPSDReply.longestLine, "bridge: a line has \(line.count) bytes")
            require(line.last == 0x0D, "bridge: a line ends in CR LF")
            let content = line.dropLast()
            require(content.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "bridge: a line has no control characters")
            if content.first == UInt8(ascii: "$") { checkSentence(content, isAnswer) } else { checkObject(content) }
        }
    }

    /// Requests after the one that is answered by a sentence may have changed what is asked for.
    private func checkSentence(_ sentence: ArraySlice<UInt8>, _ isAnswer: Bool) {
        let text = String(decoding: sentence, as: UTF8.self)
        require(isAnswer || session.forms.contains(.nmea), "bridge: \(text) was not asked for")
        require(!(isAnswer || isRefused) || NMEASentences.noFix.contains(text), "bridge: \(text) is no secret")
    }

    private func checkObject(_ line: ArraySlice<UInt8>) {
        let text = require(String(validating: line, as: UTF8.self), "bridge: a line is UTF-8")
        let value = require("bridge: \(text) is JSON") { try JSONDecoder().decode(JSON.self, from: Data(line)) }
        guard case .object(let members) = value, case .text(let name) = members["class"] else {
            return require(false, "bridge: \(text) is an object with a class")
        }
        require(Self.classes.contains(name), "bridge: gpsd has the class \(name)")
        require(
            !isRefused || !value.contains(anyOf: ["lat", "lon", "alt", "satellites"]), "bridge: \(text) is a secret")
    }
}

/// JSON as Foundation reads it.
private indirect enum JSON: Decodable {
    case object([String: JSON])
    case list([JSON])
    case text(String)
    case other

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let object = try? container.decode([String: JSON].self) {
            self = .object(object)
        } else if let list = try? container.decode([JSON].self) {
            self = .list(list)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else {
            self = .other
        }
    }

    private var isEmptyList: Bool { if case .list(let elements) = self { elements.isEmpty } else { false } }

    /// Whether an object at any depth has one of these members, unless it is a list of nothing.
    func contains(anyOf names: [String]) -> Bool {
        switch self {
        case .object(let members):
            names.contains { members[$0]?.isEmptyList == false }
                || members.values.contains { $0.contains(anyOf: names) }
        case .list(let elements): elements.contains { $0.contains(anyOf: names) }
        case .text, .other: false
        }
    }
}
