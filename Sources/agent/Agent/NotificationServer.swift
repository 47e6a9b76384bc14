import DBus

/// The desktop's notification server, by `org.freedesktop.Notifications` on the session's bus.
///
/// Not for two threads.
struct NotificationServer: ~Copyable {
    /// What has come from it.
    enum Event: Equatable {
        /// The server that there is now can do this, and is called so; `nil` if there is none, or it does not say.
        case changed(Set<String>?, server: String?)
        case answered(UInt32, key: String)
        case closed(UInt32)
        /// The name of this program is owned, or another has it.
        case named(isOwner: Bool)
    }

    private enum Call {
        case match, name, information, capabilities, close
        /// `isQuestion`: its number is that of the question, or the offer, on the screen.
        case notify(isQuestion: Bool)
    }

    private static let (name, path) = ("org.freedesktop.Notifications", "/org/freedesktop/Notifications")
    private static let (bus, busPath) = ("org.freedesktop.DBus", "/org/freedesktop/DBus")
    /// By which there is one agent in a session.
    static let ownName = "org.locationd.Agent"
    private static let ownDesktopEntry = "org.locationd.Agent"

    private let connection: BusConnection
    private var calls: [UInt64: Call] = [:]
    /// The unique name of the server, whose signals alone count: anybody on the bus can send one.
    private var owner: String?
    private var hasMarkup = false
    /// What the server calls itself, which it says before what it can do.
    private var serverName: String?
    /// Whether the owner has said what it can do: the first question may have started it, and a second one is on the
    /// way.
    private var isKnown = false
    /// The number of the question on the screen, as the server gave it; 0 if there is none.
    private var question: UInt32 = 0
    /// Whether the question was withdrawn before its number was known.
    private var isWithdrawn = false

    init(address: String) throws(BusFailure) {
        connection = try BusConnection(address: address, reading: ["s", "u", "as", "us", "uu", "sss", "ssss"])
    }

    /// Claims the session's agent, and asks what the server can do.
    mutating func begin() throws(BusFailure) {
        let rules = [
            "type='signal',sender='\(Self.bus)',member='NameOwnerChanged',arg0='\(Self.name)'",
            "type='signal',sender='\(Self.name)',path='\(Self.path)',interface='\(Self.name)'",
        ]
        for rule in rules {
            calls[try connection.call(Self.bus, Self.busPath, Self.bus, "AddMatch", [.string(rule)])] = .match
        }
        // DBUS_NAME_FLAG_DO_NOT_QUEUE.
        let arguments = [BusValue.string(Self.ownName), .uint32(4)]
        calls[try connection.call(Self.bus, Self.busPath, Self.bus, "RequestName", arguments)] = .name
        try askCapabilities()
    }

    var descriptor: Int32 { connection.descriptor }
    var events: Int32 { connection.events }
    var patience: Double { connection.patience }

    /// Starts a server that is activated by its name, too.
    private mutating func askCapabilities() throws(BusFailure) {
        serverName = nil
        calls[try connection.call(Self.name, Self.path, Self.name, "GetServerInformation")] = .information
        calls[try connection.call(Self.name, Self.path, Self.name, "GetCapabilities")] = .capabilities
    }

    // MARK: Showing

    /// - Parameters:
    ///   - actions: the keys and texts of the buttons.
    ///   - stays: whether it is on the screen until it is answered.
    mutating func show(
        _ text: QuestionText, actions: [(key: String, text: String)], stays: Bool = true
    ) throws(BusFailure) {
        isWithdrawn = false
        try notify(text, replacing: question, actions: actions, isQuestion: true, stays: stays)
    }

    mutating func showNotice(_ text: QuestionText) throws(BusFailure) {
        try notify(text, replacing: 0, actions: [], isQuestion: false, stays: false)
    }

    mutating func withdraw() throws(BusFailure) {
        guard question != 0 else {
            isWithdrawn = true
            return
        }
        let cookie = try connection.call(Self.name, Self.path, Self.name, "CloseNotification", [.uint32(question)])
        calls[cookie] = .close
        question = 0
    }

    private mutating func notify(
        _ text: QuestionText, replacing number: UInt32, actions: [(key: String, text: String)], isQuestion: Bool,
        stays: Bool
    ) throws(BusFailure) {
        let hints: [String: BusValue] =
            stays
            ? ["urgency": .byte(2), "resident": .boolean(true), "desktop-entry": .string(Self.ownDesktopEntry)]
            : ["urgency": .byte(1), "desktop-entry": .string(Self.ownDesktopEntry)]
        let arguments: [BusValue] = [
            .string("locationd"), .uint32(number), .string("find-location"), .string(text.summary),
            .string(hasMarkup ? Self.escaped(text.body) : text.body),
            .strings(actions.flatMap { [$0.key, $0.text] }), .properties(hints), .int32(stays ? 0 : -1),
        ]
        calls[try connection.call(Self.name, Self.path, Self.name, "Notify", arguments)] = .notify(
            isQuestion: isQuestion)
    }

    /// The text for a server that reads markup.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }

    // MARK: Receiving

    /// - Returns: what has come; empty if there is nothing at present.
    mutating func receive() throws(BusFailure) -> [Event] {
        var events: [Event] = []
        while let message = try connection.receive() {
            if let event = try event(of: message) { events.append(event) }
        }
        return events
    }

    private mutating func event(of message: BusMessage) throws(BusFailure) -> Event? {
        switch message.content {
        case .signal(_, Self.bus, "NameOwnerChanged") where message.sender == Self.bus:
            let names = message.arguments.compactMap(\.text)
            guard names.count == 3, names[0] == Self.name else { return nil }
            owner = names[2].isEmpty ? nil : names[2]
            (question, isKnown) = (0, false)
            if owner != nil { try askCapabilities() }
            return .changed(nil, server: nil)
        case .signal(Self.path, Self.name, let member) where message.sender == owner && owner != nil:
            guard case .uint32(let number)? = message.arguments.first, number == question, number != 0 else {
                return nil
            }
            if member == "ActionInvoked", let key = message.arguments.dropFirst().first?.text {
                return .answered(number, key: key)
            }
            guard member == "NotificationClosed" else { return nil }
            question = 0
            return .closed(number)
        case .reply(let cookie):
            guard let call = calls.removeValue(forKey: cookie) else { return nil }
            return try event(of: call, answeredWith: message)
        case .error(let cookie, _, let text):
            switch calls.removeValue(forKey: cookie) {
            case .name?, .match?: throw .failed(text)
            // A session without a notification server may get one later.
            case .capabilities?: return .changed(nil, server: nil)
            case .notify(isQuestion: true)?: return .closed(0)
            case .notify?, .close?, .information?, nil: return nil
            }
        case .signal, .call: return nil
        }
    }

    private mutating func event(of call: Call, answeredWith message: BusMessage) throws(BusFailure) -> Event? {
        switch (call, message.arguments.first) {
        case (.name, .uint32(let code)?): return .named(isOwner: code == 1 || code == 4)
        case (.information, .string(let name)?):
            serverName = name
            return nil
        case (.capabilities, .strings(let names)?):
            guard !isKnown || owner != message.sender else { return nil }
            isKnown = true
            owner = message.sender
            hasMarkup = names.contains("body-markup")
            return .changed(Set(names), server: serverName)
        case (.notify(isQuestion: true), .uint32(let number)?):
            question = number
            guard isWithdrawn else { return nil }
            isWithdrawn = false
            try withdraw()
            return nil
        default: return nil
        }
    }
}
