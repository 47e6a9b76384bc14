@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel

/// What a notification says.
package struct QuestionText: Sendable, Hashable {
    /// At most 40 characters, of which phones show the first line alone.
    package var summary: String
    package var body: String
}

/// All texts, in one language.
///
/// What programs say of themselves is shortened, stands in quotation marks that it cannot end, and comes last, because
/// programs may claim anything.
package struct Texts: Sendable {
    /// The most characters of a program's name, and of a purpose.
    static let (nameLimit, purposeLimit) = (40, 160)

    package let language: Language
    /// What the session calls the application with a desktop id; `nil` if it knows none.
    private let applicationName: @Sendable (String) -> String?

    package init(_ language: Language, applicationName: @escaping @Sendable (String) -> String? = { _ in nil }) {
        self.language = language
        self.applicationName = applicationName
    }

    /// The question about a request, for a person who can answer it.
    ///
    /// - Parameters:
    ///   - isForEver: whether to allow it means at any time.
    ///   - command: what allows it, where the notification shows no buttons.
    func question(_ request: PendingAuthorization, isForEver: Bool = false, command: String? = nil) -> QuestionText {
        let lines = [command.map { remedy($0, isOwn: true) }, scope(isForEver: isForEver), claim(request)]
        return QuestionText(summary: title(request), body: lines.compactMap(\.self).joined(separator: "\n"))
    }

    /// That all programs were granted it because of a request, where the one that asked may be left alone with it.
    func offer(_ request: PendingAuthorization, _ decision: DecideParameters) -> QuestionText {
        let (isRough, isForEver) = (decision.accuracy == .reduced, decision.authorization == .authorizedAlways)
        let (summary, scope) =
            switch language {
            case .english:
                (
                    "Your programs may know your position",
                    (isRough ? "Roughly, and all of them" : "All of them")
                        + (isForEver ? ", at any time; " : ", while you are logged in; ")
                        + "if you choose so, only the one that asked, until it ends."
                )
            case .german:
                (
                    "Ihre Programme erfahren Ihren Standort",
                    (isRough ? "Ungefähr, und zwar alle" : "Alle")
                        + (isForEver ? ", jederzeit; " : ", solange Sie angemeldet sind; ")
                        + "wenn Sie wollen, nur das Programm, das gefragt hat, bis es endet."
                )
            }
        return QuestionText(
            summary: summary, body: [scope, claim(request)].compactMap(\.self).joined(separator: "\n"))
    }

    /// What is told where the person cannot answer in the notification.
    func notice(_ request: PendingAuthorization, command: String, isOwn: Bool) -> QuestionText {
        QuestionText(
            summary: title(request),
            body: [remedy(command, isOwn: isOwn), claim(request)].compactMap(\.self).joined(separator: "\n"))
    }

    private func remedy(_ command: String, isOwn: Bool) -> String {
        switch (language, isOwn) {
        case (.english, true): "To allow it, type: \(command)"
        case (.english, false): "An administrator can allow it: \(command)"
        case (.german, true): "Erlauben mit dem Befehl: \(command)"
        case (.german, false): "Die Systemverwaltung kann es erlauben: \(command)"
        }
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
                summary: "A program gets your position today",
                body: "To end it, type: \(command)" + (name.map { "\nIt says of itself: \($0)." } ?? ""))
        case .german:
            QuestionText(
                summary: "Ein Programm erhält heute Ihren Standort",
                body: "Beenden mit dem Befehl: \(command)" + (name.map { "\nEs sagt von sich: \($0)." } ?? ""))
        }
    }

    func button(_ answer: Answer, longest: Double?) -> String {
        let term = longest.map { " " + self.term($0) } ?? ""
        return switch (language, answer) {
        // Short: some servers cut off what does not fit into 300 pixels.
        case (.english, .whileLoggedIn): "Allow\(term)"
        case (.english, .onlyRoughly): "Only roughly\(term)"
        case (.english, .never): "Never"
        case (.english, .onlyUntilItEnds): "Only until it ends"
        case (.german, .whileLoggedIn): "Erlauben\(term)"
        case (.german, .onlyRoughly): "Nur ungefähr\(term)"
        case (.german, .never): "Nie"
        case (.german, .onlyUntilItEnds): "Nur bis es endet"
        }
    }

    private func title(_ request: PendingAuthorization) -> String {
        let isOne = (request.waiting ?? []).count < 2
        let isPrecise = request.fullAccuracy == true
        return switch language {
        case .english:
            (isOne ? "A program asks for" : "Programs ask for") + " your \(isPrecise ? "precise " : "")position"
        case .german:
            (isOne ? "Ein Programm fragt" : "Programme fragen")
                + (isPrecise ? ", wo Sie genau sind" : " nach Ihrem Standort")
        }
    }

    /// What the programs say; `nil` if they say nothing.
    private func claim(_ request: PendingAuthorization) -> String? {
        let programs = (request.waiting ?? []).prefix(PendingAuthorization.programLimit)
        guard let first = programs.first else { return nil }
        guard programs.count == 1 else {
            let names = programs.map { program in
                let purpose = program.purpose.map { quoted(Self.shortened($0, Self.nameLimit)) }
                guard let name = program.name.map(quotedName) else { return purpose ?? "" }
                return name + (purpose.map { language == .german ? " (Grund: \($0))" : " (reason: \($0))" } ?? "")
            }.joined(separator: ", ")
            return language == .german ? "Sie nennen sich \(names)." : "They call themselves \(names)."
        }
        let purpose = first.purpose.map { quoted(Self.shortened($0, Self.purposeLimit)) }
        return switch (language, first.name.map(quotedName), purpose) {
        case (_, nil, nil): nil
        case (.english, let name?, nil): "It calls itself \(name)."
        case (.english, let name?, let purpose?): "It calls itself \(name) and gives the reason \(purpose)."
        case (.english, nil, let purpose?): "It gives the reason \(purpose)."
        case (.german, let name?, nil): "Es nennt sich \(name)."
        case (.german, let name?, let purpose?): "Es nennt sich \(name) und gibt als Grund an: \(purpose)."
        case (.german, nil, let purpose?): "Es gibt als Grund an: \(purpose)."
        }
    }

    /// A program's name in quotation marks; of an application the session's name for it, and its desktop id.
    private func quotedName(_ claim: String) -> String {
        guard let id = DesktopID.id(in: claim) else { return quoted(Self.shortened(claim, Self.nameLimit)) }
        let shortID = Self.shortened(id, Self.nameLimit)
        // The id stands outside of the quotation marks, so it is one that cannot be read as words of this text.
        let isPlain = id.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "._-".utf8.contains(byte)
        }
        guard isPlain, let name = applicationName(id) else { return quoted(shortID) }
        return quoted(Self.shortened(name, Self.nameLimit)) + " (\(shortID))"
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
