@_spi(Programs) import LocationKit

/// Lays the live view out in the columns and rows of the screen. Does no I/O.
struct MonitorScreen {
    let state: MonitorModel
    let style: ScreenStyle
    let columns: Int
    let rows: Int
    let now: BootInstant
    let clock: LocalTime

    /// At most as many lines as there are rows, none wider than the screen.
    var lines: [ScreenLine] {
        var head = [headline] + reason
        if rows >= 16 { head.append(rule) }
        let hasFoot = rows >= 8
        let bodyRows = max(0, rows - head.count - (hasFoot ? 1 : 0))
        var lines = head + body(bodyRows).prefix(bodyRows)
        if hasFoot {
            while lines.count < rows - 1 { lines.append(ScreenLine(style)) }
            lines.append(foot)
        }
        return lines.prefix(rows).map { line in
            var line = line
            line.clip(to: columns)
            return line
        }
    }

    private var headline: ScreenLine {
        let headline = MonitorHeadline(state: state, now: now)
        let (words, tone) = headline.words
        var line = ScreenLine(style)
        line.add(tone == .good ? " ● " : " ○ ", tone)
        line.add(words, tone == .good ? .strong : tone)
        if let mark = columns < 32 ? headline.mark.map({ String($0.prefix(3)) }) : headline.mark {
            // The mark stays on the narrowest screen; the headline is clipped.
            line.clip(to: max(0, columns - mark.count - 2))
            line.pad(to: columns - mark.count - 1)
            line.add(mark, .warning)
        }
        return line
    }

    private var reason: [ScreenLine] {
        guard let reason = MonitorHeadline(state: state, now: now).reason else { return [] }
        let words = style.shown(reason).wrapped(columns: max(10, columns - 4))
        let most = rows < 8 ? 0 : rows < 16 ? 1 : 3
        var shown = Array(words.prefix(most))
        if shown.count < words.count, let last = shown.popLast() { shown.append("\(last) …") }
        return shown.map { text in
            var line = ScreenLine(style)
            line.add("   ")
            line.add(text)
            return line
        }
    }

    private var rule: ScreenLine {
        var line = ScreenLine(style)
        line.add(String(repeating: "─", count: max(0, columns)), .faint)
        return line
    }

    private var foot: ScreenLine {
        var line = ScreenLine(style)
        line.add(" q leaves", .faint)
        if state.dropped > 0 { line.add("   \(state.dropped) locations dropped", .faint) }
        return line
    }

    private func body(_ rows: Int) -> [ScreenLine] {
        let facts = MonitorFacts(state: state, style: style, now: now, clock: clock).lines
        let satellites = SatelliteTable(
            state.sky?.value ?? [], style: style, isCurrent: state.isSkyCurrent(at: now), columns: columns)
        let clients = ClientTable(clients: state.clients, style: style, columns: columns)
        let rest = max(0, rows - facts.count)
        // The satellites get at most two thirds of the remaining rows, plus what the clients do not need.
        let clientRows = min(clients.wantedRows, max(rest / 3, rest - satellites.leastRows))
        let clientLines = clientRows < 2 ? [] : clients.lines(rows: clientRows)
        let satelliteRows = min(satellites.wantedRows, rest - clientLines.count)
        let satelliteLines = satelliteRows < 2 ? [] : satellites.lines(rows: satelliteRows)
        return top(facts, rows - satelliteLines.count - clientLines.count) + satelliteLines + clientLines
    }

    /// The facts and the sky plot: side by side on a wide screen, one above the other on a high one.
    private func top(_ facts: [ScreenLine], _ rows: Int) -> [ScreenLine] {
        let factColumns = 46
        let isBeside = columns >= factColumns + 25 && rows >= 9
        let isBelow = !isBeside && columns >= 24 && rows >= facts.count + 10
        var lines = Array(facts.prefix(rows))
        if isBelow { lines.append(ScreenLine(style)) }
        guard isBeside else { return filled(lines + (isBelow ? sky(columns, rows - lines.count) : []), rows) }
        let sky = sky(columns - factColumns - 1, min(rows, 29))
        return (0..<rows).map { row in
            var line = row < lines.count ? lines[row] : ScreenLine(style)
            guard row < sky.count else { return line }
            line.clip(to: factColumns)
            line.pad(to: factColumns)
            line.add(sky[row])
            return line
        }
    }

    private func sky(_ columns: Int, _ rows: Int) -> [ScreenLine] {
        SkyPlot(
            state.sky?.value ?? [], style: style, isCurrent: state.isSkyCurrent(at: now), columns: columns, rows: rows
        ).lines
    }

    private func filled(_ lines: [ScreenLine], _ rows: Int) -> [ScreenLine] {
        lines + Array(repeating: ScreenLine(style), count: max(0, rows - lines.count))
    }
}

/// The headline of the screen: the state of the service, and the reason.
struct MonitorHeadline {
    let state: MonitorModel
    let now: BootInstant

    /// The state in a few words.
    var words: (text: String, tone: ScreenLine.Tone) {
        switch state.link {
        case .connecting: return ("connecting to the daemon", .warning)
        case .lost(_, let since):
            let seconds = Text.wholeDuration(max(0, now.seconds(since: since)))
            return ("disconnected for \(seconds), trying again", .bad)
        case .connected: break
        }
        guard let status = state.status else { return ("connected", .plain) }
        guard status.mayKnow else { return ("not authorized (\(PermissionText.words(status.authorization)))", .bad) }
        let words = Text.headline(status)
        switch status.source {
        case .tracking where state.isCurrent(at: now): return (words, .good)
        case .tracking where state.fix != nil: return ("\(words), but no new location arrives", .warning)
        case .stopped, .unavailable: return (words, .bad)
        default: return (words, .warning)
        }
    }

    /// The reason for the state and the advice, if there are any.
    var reason: String? {
        if case .lost(let reason, _) = state.link { return reason }
        return state.status?.reason
    }

    /// The mark for a location that is not measured now.
    var mark: String? {
        guard let marks = state.fix?.value.source.marks, !marks.isEmpty else { return nil }
        return marks.joined(separator: " ").uppercased()
    }
}
