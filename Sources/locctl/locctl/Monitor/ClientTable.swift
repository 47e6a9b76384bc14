@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit

/// The table of connections, or the reason why it is not available.
struct ClientTable {
    let clients: MonitorModel.Clients
    let style: ScreenStyle
    let columns: Int

    /// The rows for the whole table, including its title.
    var wantedRows: Int { 1 + body.count }

    /// - Parameter rows: the rows available, including the title; at least 2.
    func lines(rows: Int) -> [ScreenLine] {
        var shown = Array(body.prefix(rows - 1))
        if shown.count < body.count { shown[shown.count - 1] = "and \(body.count - shown.count + 1) more" }
        let note = if case .known(let list) = clients { "\(list.count)" } else { "" }
        return [ScreenLine.title("Clients", note, style, columns)]
            + shown.enumerated().map { index, text in
                var line = ScreenLine(style)
                line.add(" \(text)", index == 0 ? .faint : .plain)
                return line
            }
    }

    private var body: [String] {
        switch clients {
        case .unknown: return ["not known yet"]
        case .closed(let reason): return [reason]
        case .known(let list):
            var table = Table(["WHO", "PID", "REQUEST", "SENT", "DROPPED", "PURPOSE"])
            for client in list {
                table.add([
                    client.principal, "\(client.pid)", (client.request ?? "–") + (client.behind ? " (behind)" : ""),
                    "\(client.sent)", "\(client.dropped)", client.use,
                ])
            }
            return table.lines
        }
    }
}
