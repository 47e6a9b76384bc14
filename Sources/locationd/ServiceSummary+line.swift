import LocationFormats
import LocationModel
import LocationServer

extension ServiceSummary {
    /// For `systemctl status`, which everybody may read: no more than everybody's own status tells.
    var line: String {
        let who = clients == 0 ? "no clients" : clients == 1 ? "1 client" : "\(clients) clients"
        let state = ([status.words] + marks).joined(separator: ", ")
        return ([state, who] + (status.reason.map { [$0] } ?? [])).joined(separator: "; ")
    }

    /// What is told is not what a receiver says.
    private var marks: [String] {
        guard status.source == .tracking, let location else { return [] }
        return (location.source.isSimulated ? ["simulated"] : []) + (location.source.isReplayed ? ["replayed"] : [])
    }
}
