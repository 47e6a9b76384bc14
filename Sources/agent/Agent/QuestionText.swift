@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel

/// What a notification says.
package struct QuestionText: Sendable, Hashable {
    package var summary: String
    package var body: String
}

/// All texts, in one language.
///
/// What programs say of themselves is shortened, stands in quotation marks that it cannot end, and comes last, because programs
/// may claim anything.
package struct Texts: Sendable {
    /// The most characters of a program's name, and of a purpose.
    static let (nameLimit, purposeLimit) = (40, 160)

    package let language: Language

    package init(_ language: Language) { self.language = language }

    /// The question about a request, for a person who can answer it.
    ///
    /// - Parameter isForEver: whether to allow it means at any time.
    func question(_ request: PendingAuthorization, isForEver: Bool = false) -> QuestionText {
        QuestionText(
            summary: title(request),
            body: [scope(isForEver: isForEver), claim(request)].compactMap(\.self).joined(separator: "\n"))
    }

    /// What is told where the person cannot answer in the notification.
    func notice(_ request: PendingAuthorization, command: String, isOwn: Bool) -> QuestionText {
        let remedy =
            switch (language, isOwn) {
            case (.english, true): "To allow it, type: \(command)"
            case (.english, false): "An administrator can allow it: \(command)"
            case (.german, true): "Erlauben mit dem Befehl: \(command)"
            case (.german, false): "Die Systemverwaltung kann es erlauben: \(command)"
            }
        return QuestionText(
            summary: title(request), body: [remedy, claim(request)].compactMap(\.self).joined(separator: "\n"))
    }

    /// That a decision did not come about.
    func failure(_ reason: String) -> QuestionText {
        switch language {
        case .english: QuestionText(summary: "Nothing is decided about the position", body: Self.shortened(reason, 400))
        case .german:
            QuestionText(summary: "Über den Standort ist nichts entschieden", body: Self.shortened(reason, 400))
        }
    }

    /// That programs of the person receive the position.
    ///
    /// - Parameters:
    ///   - claim: what the program calls itself, or its purpose.
    ///   - command: what ends it.
    func use(_ claim: String?, command: String) -> QuestionText {
        let name = claim.map { quoted(Self.shortened($0, Self.purposeLimit)) }
        return switch language {
        case .english:
            QuestionText(
                summary: "A program of yours gets the position of this device today",
                body: "To end it, type: \(command)" + (name.map { "\nIt says of itself: \($0)." } ?? ""))
        case .german:
            QuestionText(
                summary: "Ein Programm von Ihnen erhält heute den Standort dieses Geräts",
                body: "Beenden mit dem Befehl: \(command)" + (name.map { "\nEs sagt von sich: \($0)." } ?? ""))
        }
    }

    func button(_ answer: Answer, longest: Double?) -> String {
        let term = longest.map { " " + self.term($0) } ?? ""
        return switch (language, answer) {
        // Short: some servers cut off what does not fit into 300 pixels.
        case (.english, .whileLoggedIn): "Allow\(term)"
        case (.english, .onlyRoughly): "Only roughly\(term)"
        case (.english, .notNow): "Not now"
        case (.english, .never): "Never"
        case (.german, .whileLoggedIn): "Erlauben\(term)"
        case (.german, .onlyRoughly): "Nur ungefähr\(term)"
        case (.german, .notNow): "Jetzt nicht"
        case (.german, .never): "Nie"
        }
    }

    private func title(_ request: PendingAuthorization) -> String {
        switch (language, request.fullAccuracy == true) {
        case (.english, false): "A program wants to know the position of this device"
        case (.english, true): "A program wants to know the precise position of this device"
        case (.german, false): "Ein Programm möchte den Standort dieses Geräts erfahren"
        case (.german, true): "Ein Programm möchte den genauen Standort dieses Geräts erfahren"
        }
    }

    /// What the programs say; `nil` if they say nothing.
    private func claim(_ request: PendingAuthorization) -> String? {
        let names = request.programs.prefix(PendingAuthorization.programLimit)
            .map { quoted(Self.shortened($0, Self.nameLimit)) }.joined(separator: ", ")
        // Bridges state what they call a program as its purpose, too.
        let purpose = request.purpose.flatMap { request.programs.contains($0) ? nil : $0 }
            .map { quoted(Self.shortened($0, Self.purposeLimit)) }
        return switch (language, names.isEmpty, purpose) {
        case (_, true, nil): nil
        case (.english, false, nil): "It calls itself \(names)."
        case (.english, false, let purpose?): "It calls itself \(names) and gives the reason \(purpose)."
        case (.english, true, let purpose?): "It gives the reason \(purpose)."
        case (.german, false, nil): "Es nennt sich \(names)."
        case (.german, false, let purpose?): "Es nennt sich \(names) und gibt als Grund an: \(purpose)."
        case (.german, true, let purpose?): "Es gibt als Grund an: \(purpose)."
        }
    }

    private func scope(isForEver: Bool) -> String {
        switch (language, isForEver) {
        case (.english, false): "Your answer holds for all of your programs, while you are logged in."
        case (.english, true): "Your answer holds for all of your programs, also while you are not logged in."
        case (.german, false): "Ihre Antwort gilt für alle Ihre Programme, solange Sie angemeldet sind."
        case (.german, true): "Ihre Antwort gilt für alle Ihre Programme, auch wenn Sie nicht angemeldet sind."
        }
    }

    /// Why an answer was not taken.
    var busy: String {
        switch language {
        case .english:
            "Another program of yours makes polkit ask for a password. Close that dialog unless you caused it, and answer again."
        case .german:
            "Ein anderes Ihrer Programme lässt nach einem Passwort fragen. Schließen Sie diesen Dialog, wenn er nicht von Ihnen kommt, und antworten Sie erneut."
        }
    }

    private func quoted(_ text: String) -> String {
        let claim = text.sanitizedAsClaim()
        return language == .german ? "„\(claim)“" : "“\(claim)”"
    }

    private func term(_ seconds: Double) -> String {
        let (count, isHours) = seconds < 5400 ? (max(1, seconds / 60), false) : (seconds / 3600, true)
        let number = Int(count.rounded(.down))
        return switch (language, isHours) {
        case (.english, false): number == 1 ? "for a minute" : "for \(number) minutes"
        case (.english, true): number == 1 ? "for an hour" : "for \(number) hours"
        case (.german, false): number == 1 ? "für eine Minute" : "für \(number) Minuten"
        case (.german, true): number == 1 ? "für eine Stunde" : "für \(number) Stunden"
        }
    }

    static func shortened(_ text: String, _ limit: Int) -> String {
        // By scalars: one character may have any number of them.
        let scalars = text.unicodeScalars
        guard scalars.count > limit else { return text }
        return String(String.UnicodeScalarView(scalars.prefix(limit - 1))) + "…"
    }
}
