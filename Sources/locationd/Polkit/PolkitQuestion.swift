import DBus
@_spi(Programs) import LocationModel
@_spi(Programs) import SystemSupport

/// One question to polkit, from its thread.
struct PolkitQuestion: Sendable {
    private static let (name, path) = ("org.freedesktop.PolicyKit1", "/org/freedesktop/PolicyKit1/Authority")
    private static let interface = "org.freedesktop.PolicyKit1.Authority"
    private static let resultSignature = "(bba{ss})"
    /// By which a question is withdrawn; it is unique within one connection.
    private static let cancellation = "locationd"
    /// POLKIT_CHECK_AUTHORIZATION_FLAGS_ALLOW_USER_INTERACTION: the person may be asked to authenticate.
    private static let interaction: UInt32 = 1

    let action: PolkitAction
    let subject: PolkitSubject
    let address: String?
    let deadline: BootInstant

    /// Returns when polkit has answered, the deadline is over, or it is woken; the question is withdrawn then.
    func awaitAnswer(until waker: Waker) -> PolkitAnswer {
        do throws(BusFailure) {
            let bus = try BusConnection(address: address, reading: [Self.resultSignature])
            var (cookie, isSecond) = (try askPolkit(bus, Self.interaction), false)
            while true {
                while let message = try bus.receive() {
                    guard let answer = Self.answer(in: message, to: cookie, isSecond: isSecond) else { continue }
                    guard answer == Self.notAllowed, !isSecond else { return answer }
                    // Polkit gives this answer after a wrong password, too. Asked without a dialog, it says which it
                    // is.
                    (cookie, isSecond) = (try askPolkit(bus, 0), true)
                }
                let rest = deadline.seconds(since: MachineClock.now)
                switch waker.wait(for: bus.descriptor, events: bus.events, seconds: min(rest, bus.patience)) {
                case .ready: break
                case .timedOut where rest > 0: break
                case .timedOut:
                    withdraw(bus)
                    return .unavailable("nobody has authenticated in time")
                case .woken:
                    withdraw(bus)
                    return .unavailable("who asked has gone")
                }
            }
        } catch {
            switch error {
            case .noLibrary: return .unavailable("asking polkit needs libsystemd; install libsystemd0")
            case .failed(let reason):
                return .unavailable("polkit cannot be asked, because the system bus fails (\(reason))")
            }
        }
    }

    /// - Parameter flags: of `CheckAuthorization`.
    private func askPolkit(_ bus: borrowing BusConnection, _ flags: UInt32) throws(BusFailure) -> UInt64 {
        try bus.call(Self.name, Self.path, Self.interface, "CheckAuthorization", arguments(flags))
    }

    /// The start time 0 lets polkit find the process's own; see ``PolkitSubject``.
    private func arguments(_ flags: UInt32) -> [BusValue] {
        [
            .structure([
                .string("unix-process"),
                .properties([
                    "pid": .uint32(UInt32(bitPattern: subject.pid)), "start-time": .uint64(0),
                    "uid": .int32(Int32(bitPattern: subject.uid)),
                ]),
            ]),
            .string(action.rawValue), .texts([:]), .uint32(flags), .string(Self.cancellation),
        ]
    }

    /// The dialog disappears. Whether polkit has got that makes no difference: its answer does not count any more.
    private func withdraw(_ bus: borrowing BusConnection) {
        _ = try? bus.call(
            Self.name, Self.path, Self.interface, "CancelCheckAuthorization", [.string(Self.cancellation)])
        _ = try? bus.receive()
    }

    /// - Parameter isSecond: whether it answers a question without a dialog, after the person was asked and nothing was
    ///   granted.
    /// - Returns: `nil` if the message does not answer the call with this cookie.
    static func answer(in message: BusMessage, to cookie: UInt64, isSecond: Bool) -> PolkitAnswer? {
        switch message.content {
        case .reply(cookie):
            guard case .structure(let members)? = message.arguments.first, members.count == 3,
                case .boolean(let isAuthorized) = members[0], case .boolean(let isChallenge) = members[1],
                case .texts(let details) = members[2]
            else { return .unavailable("polkit gave an answer that cannot be read") }
            if isSecond { return isAuthorized || isChallenge ? wrongPassword : notAllowed }
            if isAuthorized { return .authorized }
            if details["polkit.dismissed"] != nil { return .refused("the authentication was dismissed") }
            return isChallenge ? nobodyAsks : notAllowed
        case .error(cookie, let name, let text): return .unavailable(words(name, text))
        case .reply, .error, .call, .signal: return nil
        }
    }

    // The first words say what helps: notifications show one line of it.
    private static let notAllowed = PolkitAnswer.refused(
        "only who sits at this machine can allow it; polkit refuses it to a session over SSH or in the background")
    private static let wrongPassword = PolkitAnswer.refused("the authentication failed: the password was wrong")
    private static let nobodyAsks = PolkitAnswer.refused(
        "polkit wants an authentication, and no program of this session asks for it; "
            + "use a desktop's session, or locctl on a terminal at this machine")

    private static func words(_ name: String, _ text: String) -> String {
        switch name {
        case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner":
            return "there is no polkit on this machine; install polkitd"
        case "org.freedesktop.DBus.Error.NoReply": return "polkit ended before it answered; try again"
        case "org.freedesktop.PolicyKit1.Error.Failed" where text.contains("not registered"):
            return "polkit does not know the action; install the package locationd-agent"
        default: return "polkit gave no answer (\(text.escapingUnprintable()))"
        }
    }
}
