import LocationFormats
import LocationModel
import LocationServer

extension ServiceSummary {
    /// For `systemctl status`, which everybody may read: how well the place is known, and not where it is.
    var line: String {
        let who = clients == 0 ? "no clients" : clients == 1 ? "1 client" : "\(clients) clients"
        let state = ([status.words] + details).joined(separator: ", ")
        return ([state, who] + (status.reason.map { [$0] } ?? [])).joined(separator: "; ")
    }

    private var details: [String] {
        switch status.source {
        case .tracking: quality + satellites
        case .searching, .lost: satellites
        case .stopped, .starting, .unavailable, .unknown: []
        }
    }

    private var quality: [String] {
        guard let location else { return [] }
        var words = [location.mode == .threeDimensional ? "3D" : "2D"]
        if let metres = location.horizontalAccuracy, let text = metres.fixedDecimal(places: metres < 10 ? 1 : 0) {
            words.append("±\(text) m")
        }
        if location.source.isSimulated { words.append("simulated") }
        if location.source.isReplayed { words.append("replayed") }
        return words
    }

    private var satellites: [String] {
        guard let visible = status.satellitesVisible, visible > 0 else { return [] }
        return [status.satellitesUsed.map { "\($0) of \(visible) satellites" } ?? "\(visible) satellites"]
    }
}
