@_spi(Programs) package import LocationModel
@_spi(Programs) import SystemSupport

/// What the person is told of the programs that use the position, in one language.
package struct UsageTexts: Sendable {
    /// The most programs that are named; a notification is no page.
    static let limit = 6

    private let language: Language

    package init(_ language: Language) {
        self.language = language
    }

    /// - Parameters:
    ///   - usage: the programs of the person.
    ///   - now: what the wall clock shows.
    ///   - process: looks up a process's name.
    package func notice(
        of usage: [LocationUsage], at now: UTCTime, process: (Int) -> String? = { ProcessName.of($0) }
    ) -> QuestionText {
        var lines = usage.prefix(Self.limit).map { line($0, at: now, process) }
        let others = usage.count - lines.count
        switch (language, others) {
        case (_, ...0): break
        case (.english, _): lines.append("And \(others) more: `locctl usage` lists all.")
        case (.german, _): lines.append("Und \(others) weitere: `locctl usage` zeigt alle.")
        }
        if let since = usage.first?.countedSince {
            lines.append(
                language == .german
                    ? "Gezählt wird seit dem Start des Dienstes \(past(since, now))."
                    : "Counted since the service started \(past(since, now)).")
        }
        guard !lines.isEmpty else {
            return QuestionText(
                summary: summary,
                body: language == .german
                    ? "Keines Ihrer Programme hat in den letzten 24 Stunden den Standort dieses Geräts erhalten."
                    : "None of your programs has received the position of this device in the last 24 hours.")
        }
        return QuestionText(summary: summary, body: lines.joined(separator: "\n"))
    }

    /// Says why nothing is known.
    package func failure(_ reason: String) -> QuestionText {
        QuestionText(
            summary: summary,
            body: language == .german
                ? "Der Ortungsdienst antwortet nicht: \(reason)" : "The location service does not answer: \(reason)")
    }

    private var summary: String {
        language == .german
            ? "Programme, die Ihren Standort verwenden" : "Programs that use your position"
    }

    private func line(_ usage: LocationUsage, at now: UTCTime, _ process: (Int) -> String?) -> String {
        let isFull = usage.accuracy != .reduced
        let moment =
            usage.since != nil ? (language == .german ? "jetzt" : "now") : usage.last.map { past($0, now) } ?? "–"
        let words =
            switch language {
            case .english: [moment, isFull ? "exactly" : "roughly", count(usage.locations, "location", "locations")]
            case .german: [moment, isFull ? "genau" : "ungefähr", count(usage.locations, "Standort", "Standorte")]
            }
        return "\(name(of: usage, process)): \(words.joined(separator: ", "))"
    }

    private func name(of usage: LocationUsage, _ process: (Int) -> String?) -> String {
        guard let claim = usage.program ?? usage.pid.flatMap(process) else {
            return language == .german ? "Ein Programm ohne Namen" : "A program without a name"
        }
        let short = Texts.shortened(claim.sanitizedAsClaim(), Texts.nameLimit)
        return language == .german ? "„\(short)“" : "“\(short)”"
    }

    private func count(_ number: Int, _ one: String, _ many: String) -> String {
        "\(number) \(number == 1 ? one : many)"
    }

    private func past(_ time: UTCTime, _ now: UTCTime) -> String {
        let minutes = Int(max(0, now.seconds(since: time)) / 60)
        return switch (language, minutes) {
        case (.english, 0): "just now"
        case (.english, ..<60): count(minutes, "minute ago", "minutes ago")
        case (.english, _): count(minutes / 60, "hour ago", "hours ago")
        case (.german, 0): "gerade eben"
        case (.german, ..<60): "vor " + count(minutes, "Minute", "Minuten")
        case (.german, _): "vor " + count(minutes / 60, "Stunde", "Stunden")
        }
    }
}
