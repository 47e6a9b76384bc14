@_spi(Programs) import LocationModel
import ProgramTestSupport

@testable import GPSDSource

/// A conversation with gpsd whose clock the test turns.
final class Talk {
    private var conversation: Conversation
    /// What the clock shows.
    private(set) var now = BootInstant(seconds: 1000)

    init(device: String? = nil, silenceTimeout: Double = 20) {
        conversation = Conversation(
            source: "gpsd", endpoint: GPSDEndpoint(device: device), silenceTimeout: silenceTimeout, at: now)
    }

    /// A conversation that has come to reports.
    static func streaming(devices: String..., device: String? = nil) -> Talk {
        let talk = Talk(device: device)
        let list = devices.map { #"{"class":"DEVICE","path":"\#($0)"}"# }.joined(separator: ",")
        talk.hear(Line.version)
        talk.hear(#"{"class":"DEVICES","devices":[\#(list)]}"#)
        talk.hear(Line.watch)
        return talk
    }

    @discardableResult func hear(_ line: String, after seconds: Double = 0) -> [Conversation.Step] {
        hear(Array(line.utf8), after: seconds)
    }

    func hear(_ line: [UInt8], needsSatellites: Bool = true, after seconds: Double = 0) -> [Conversation.Step] {
        now = now.advanced(bySeconds: seconds)
        return conversation.receive(line, needsSatellites: needsSatellites, at: now)
    }

    /// The fix that a line brings.
    func fix(_ line: String, after seconds: Double = 0) throws -> Location {
        let steps = hear(line, after: seconds)
        guard case .emit(.fix(let location)) = steps.first else { throw Failure("no fix but \(steps)") }
        return location
    }

    /// Seconds until the patience ends.
    var patience: Double { conversation.deadline.seconds(since: now) }
    var failureAtDeadline: ConnectionFailure { conversation.failureAtDeadline }
    var failureAtEnd: ConnectionFailure { conversation.failureAtEnd }
    var isProductive: Bool { conversation.isProductive }
}

extension [Conversation.Step] {
    /// The condition that the only step tells; `nil` if it is none.
    var condition: SourceCondition? {
        guard count == 1, case .emit(.condition(let condition)) = first else { return nil }
        return condition
    }
}
