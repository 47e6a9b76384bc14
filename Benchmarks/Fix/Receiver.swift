import GPSDSource
import LocationModel
import SystemClock
import SystemSupport

/// The source without its thread and connection.
final class Receiver {
    private var splitter = LineSplitter.gpsd()
    private var conversation = Conversation(
        source: "gpsd", endpoint: GPSDEndpoint(), silenceTimeout: 20, at: MachineClock.now)

    init() {
        _ = hear(Lines.greeting)
    }

    /// What is to be told of what came from gpsd at once.
    func hear(_ bytes: [UInt8]) -> [SourceEvent] {
        let now = MachineClock.now
        var events: [SourceEvent] = []
        bytes.withUnsafeBytes { bytes in
            splitter.take(bytes) { line in
                for case .tell(let event) in conversation.take(line, at: now) { events.append(event) }
            }
        }
        return events
    }
}
