import Glibc
import LocationInterface
import LocationKit

/// Writes a monitor's replies for a person: its regions, and why nothing is known of them.
struct RegionPrinter {
    private var isDecided = false
    private var isReduced = false
    /// What was told last about the service.
    private var told: String?

    mutating func print(_ news: MonitorReply) {
        if let status = news.status { note(status) }
        guard let report = news.region else { return }
        if report.location != nil { isDecided = true }
        Output.write(RegionText.line(report))
    }

    private mutating func note(_ status: ServiceStatus) {
        if status.accuracy == .reduced, !isReduced {
            Output.write("-- reduced accuracy: \(Text.reduction); small regions stay unknown", to: STDERR_FILENO)
        }
        isReduced = status.accuracy == .reduced
        // The receiver goes on and off with the way to the border, which is nothing to tell.
        let line = isTold(status) ? Text.line(status) : nil
        if let line, line != told { Output.write(line, to: STDERR_FILENO) }
        if line != nil || status.source == .tracking { told = line }
    }

    private func isTold(_ status: ServiceStatus) -> Bool {
        guard status.enabled, status.reason == nil else { return true }
        switch status.source {
        case .lost, .unavailable: return true
        case .searching: return !isDecided
        case .stopped, .starting, .tracking, .unknown: return false
        }
    }
}
