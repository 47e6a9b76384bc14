@_spi(Programs) import GPSDSource
@_spi(Programs) import LocationModel
@_spi(Programs) import SystemSupport

/// The source without its thread and connection.
final class Receiver {
    private var splitter = LineSplitter.gpsd()
    private var conversation = Conversation(
        source: "gpsd", endpoint: GPSDEndpoint(), silenceTimeout: 20, at: MachineClock.now)

    init() {
        _ = receive(Lines.greeting)
    }

    /// The events that follow from bytes of gpsd that arrive together.
    func receive(_ bytes: [UInt8]) -> [SourceEvent] {
        let now = MachineClock.now
        var events: [SourceEvent] = []
        bytes.withUnsafeBytes { bytes in
            splitter.split(bytes) { line in
                for case .emit(let event) in conversation.receive(line, needsSatellites: false, at: now) {
                    events.append(event)
                }
            }
        }
        return events
    }
}
