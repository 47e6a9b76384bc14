import GPSDProtocol
@_spi(Programs) import LocationModel
@_spi(Programs) import SystemSupport

@testable import GPSDSource

/// What a program that speaks gpsd's protocol sends to the bridge, and what happens meanwhile. The input is a script of
/// lines: one that begins with `^` is an event, and all others are sent as they are, up to the next event.
///
/// | line | event |
/// |---|---|
/// | `^{…}` | gpsd has sent this line: its fix, its view of the sky, or the loss of its fix is reported |
/// | `^r…` | the client's user may not know, for the rest of the line as the reason |
/// | `^d…` | these are the devices, separated by blanks; those after `*` report |
/// | `^x` | the user's accuracy changes |
///
/// Rules: those of ``FuzzedSession``, and where the stream was cut on its way makes no difference.
func fuzzBridge(_ input: [UInt8]) {
    let steps = bridgeSteps(of: input)
    var whole = FuzzedSession(isJudged: true)
    var cut = FuzzedSession(isJudged: false)
    for step in steps {
        whole.apply(step) { [$0[...]] }
        cut.apply(step, cutting: piecesWithinRequests)
    }
    require(
        whole.hasReachedLimit || whole.sent == cut.sent, "bridge: what is answered does not depend on the cuts")
}

/// One line of the script, or the lines between two events.
enum BridgeStep {
    case bytes([UInt8])
    case fix(Location)
    case sky(SkyView)
    case noFix(device: String?)
    case refusal(String)
    case devices([GPSDDevice])
    case accuracyChange
}

/// The bytes cut into pieces, but not after a `;` or a brace: what ends there is complete, as with gpsd, and what
/// cannot be read takes the rest of what has come with it.
private func piecesWithinRequests(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    pieces(of: bytes).reduce(into: []) { pieces, piece in
        let end = pieces.last?.last { !($0 == 0x20 || (0x09...0x0D).contains($0)) }
        if let last = pieces.last, end == UInt8(ascii: ";") || end == UInt8(ascii: "}") || end == UInt8(ascii: "]") {
            pieces[pieces.count - 1] = bytes[last.startIndex..<piece.endIndex]
        } else {
            pieces.append(piece)
        }
    }
}

private func bridgeSteps(of input: [UInt8]) -> [BridgeStep] {
    var receiver = ReportingReceiver()
    var steps: [BridgeStep] = []
    var sent: [UInt8] = []
    var rest = input[...]
    while !rest.isEmpty {
        let line = rest.prefix { $0 != 0x0A }
        let isEvent = line.first == UInt8(ascii: "^")
        if !isEvent { sent += rest[..<min(line.endIndex + 1, rest.endIndex)] }
        rest = rest[line.endIndex...].dropFirst()
        guard isEvent else { continue }
        if !sent.isEmpty { steps.append(.bytes(sent)) }
        sent = []
        steps += event(line.dropFirst(), &receiver)
    }
    return sent.isEmpty ? steps : steps + [.bytes(sent)]
}

private func event(_ text: ArraySlice<UInt8>, _ receiver: inout ReportingReceiver) -> [BridgeStep] {
    let argument = String(decoding: text.dropFirst(), as: UTF8.self)
    switch text.first {
    case UInt8(ascii: "{"): return receiver.receive(Array(text))
    case UInt8(ascii: "r"): return [.refusal(argument)]
    case UInt8(ascii: "d"):
        return [
            .devices(
                argument.split(separator: " ").map { word in
                    word.first == "*"
                        ? GPSDDevice(path: String(word.dropFirst()), name: "gpsd", activated: UTCTime(seconds: 1))
                        : GPSDDevice(path: String(word), name: "gpsd")
                })
        ]
    case UInt8(ascii: "x"): return [.accuracyChange]
    default: return []
    }
}

/// What the daemon makes of gpsd's lines.
private struct ReportingReceiver: ~Copyable {
    private var conversation = Conversation(
        source: "gpsd", endpoint: GPSDEndpoint(), silenceTimeout: 20, at: BootInstant(seconds: 1000))
    private var last: Location?

    init() {
        for line in [#"{"class":"VERSION","release":"3.22"}"#, #"{"class":"WATCH","enable":true,"json":true}"#] {
            _ = conversation.receive(Array(line.utf8), at: BootInstant(seconds: 1000))
        }
    }

    mutating func receive(_ line: [UInt8]) -> [BridgeStep] {
        conversation.receive(line, at: BootInstant(seconds: 1000)).compactMap { step in
            switch step {
            case .emit(.fix(let location)):
                last = location
                return .fix(location)
            case .emit(.satellites(let satellites, let device, _)):
                return .sky(
                    last.map { SkyView(satellites, with: $0) } ?? SkyView(satellites, device: device))
            case .emit(.noFix(let device)): return .noFix(device: device)
            default: return nil
            }
        }
    }
}
