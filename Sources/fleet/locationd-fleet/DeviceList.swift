import Delivery
import Fleet
import FoundationEssentials
import Glibc
@_spi(Programs) import SystemSupport

/// `--list-devices`: writes what a broker's devices report to standard output, one object of JSON a line, until nobody
/// reads it.
struct DeviceList {
    private let settings: BrokerSettings

    init(_ settings: BrokerSettings, filter: String) {
        var settings = settings
        settings.subscription = filter
        settings.receivesRetained = true
        settings.longestMessage = DeviceReport.payloadLimit
        self.settings = settings
    }

    /// Why nothing can be listed.
    struct Exhausted: Error, CustomStringConvertible {
        let description = "no thread or no descriptor is left"
    }

    func run() async throws {
        // The program that started this one may be killed; then nothing would be written until a device reports.
        guard OutputReader.exitWithoutReader(), let client = BrokerClient(settings) else { throw Exhausted() }
        var (ignored, dropped) = (0, 0)
        for await event in client.events {
            switch event {
            case .connected: try write(DeviceListLine(state: ""))
            case .disconnected(let reason), .subscriptionRefused(let reason): try write(DeviceListLine(state: reason))
            case .received(let message):
                let report = DeviceReport(
                    topic: message.topic, payload: message.payload, isRetained: message.isRetained)
                if report == nil { ignored += 1 }
                try write(DeviceListLine(report: report, ignored: report == nil ? ignored : nil))
            case .acknowledged, .refused, .ended: continue
            }
            // Only while nothing is read here, which is when nobody reads the output.
            if case let count = client.events.dropped, count != dropped {
                dropped = count
                try write(DeviceListLine(dropped: count))
            }
        }
    }

    private func write(_ line: DeviceListLine) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var rest = Array(try encoder.encode(line))[...] + [UInt8(ascii: "\n")]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { exit(errno == EPIPE ? 0 : 1) }
            rest = rest.dropFirst(count)
        }
    }
}
