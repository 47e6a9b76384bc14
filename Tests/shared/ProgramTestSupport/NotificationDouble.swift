import Foundation
import Glibc

/// A notification server on a session's bus that the test plays: it sees what is shown, and answers as a person.
package final class NotificationDouble: Sendable {
    /// A call of `Notify`.
    package struct Shown: Decodable, Sendable {
        package let id, replaces: UInt32
        package let app, icon, summary, body: String
        package let actions: [String]
        package let hints: [String: String]
        package let timeout: Int32
    }

    /// What was called.
    package enum Event: Sendable {
        case shown(Shown)
        case closed(UInt32)
    }

    private let process: AssistantProcess
    private let lines: LineQueue

    /// - Parameters:
    ///   - uid: whose process it is.
    ///   - capabilities: what it says that it can do.
    ///   - name: what it calls itself.
    package init(
        on bus: PrivateBus, uid: UInt32, capabilities: [String] = ["actions", "body", "body-markup", "persistence"],
        name: String = "double"
    ) async throws {
        process = try AssistantProcess(
            AssistantProcess.python(Self.script, [bus.address, capabilities.joined(separator: ","), name]), uid: uid)
        lines = LineQueue(process)
        let word = try await lines.next()
        guard word == "ready" else { throw Failure("no notification server: \(word)") }
    }

    package func next() async throws -> Event {
        let line = try await lines.next()
        if line.hasPrefix("closed "), let number = UInt32(line.dropFirst(7)) { return .closed(number) }
        return .shown(try JSONDecoder().decode(Shown.self, from: Data(line.utf8)))
    }

    /// The next notification that is shown.
    package func nextShown() async throws -> Shown {
        guard case .shown(let shown) = try await next() else { throw Failure("something was closed") }
        return shown
    }

    /// The next one that is taken away.
    package func nextClosed() async throws -> UInt32 {
        guard case .closed(let number) = try await next() else { throw Failure("something was shown") }
        return number
    }

    /// The person presses a button.
    package func answer(_ number: UInt32, _ key: String) throws { try command("answer \(number) \(key)") }

    /// The person closes it (2), or its time is over (1).
    package func close(_ number: UInt32, reason: UInt32 = 2) throws { try command("close \(number) \(reason)") }

    package func end() async throws { try await process.end() }

    private func command(_ line: String) throws {
        let bytes = Array((line + "\n").utf8)
        guard send(process.hand, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw Failure("the notification server does not listen")
        }
    }

    private static let script = """
        import dbus, dbus.service, json, socket, sys
        from dbus.mainloop.glib import DBusGMainLoop
        from gi.repository import GLib
        DBusGMainLoop(set_as_default=True)
        NAME = "org.freedesktop.Notifications"
        hand = socket.socket(fileno=0)
        bus = dbus.bus.BusConnection(sys.argv[1])
        def say(text):
            hand.sendall((text + "\\n").encode())
        class Server(dbus.service.Object):
            last = 0
            @dbus.service.method(NAME, out_signature="as")
            def GetCapabilities(self):
                return sys.argv[2].split(",")
            @dbus.service.method(NAME, out_signature="ssss")
            def GetServerInformation(self):
                return sys.argv[3], "the project's tests", "1", "1.2"
            @dbus.service.method(NAME, in_signature="susssasa{sv}i", out_signature="u")
            def Notify(self, app, replaces, icon, summary, body, actions, hints, timeout):
                if not replaces:
                    self.last += 1
                number = replaces or self.last
                say(json.dumps({
                    "id": number, "replaces": replaces, "app": app, "icon": icon, "summary": summary, "body": body,
                    "actions": list(actions), "hints": {k: str(int(v)) if isinstance(v, int) else str(v) for k, v in hints.items()}, "timeout": timeout}))
                return dbus.UInt32(number)
            @dbus.service.method(NAME, in_signature="u")
            def CloseNotification(self, number):
                say(f"closed {number}")
                self.NotificationClosed(dbus.UInt32(number), dbus.UInt32(3))
            @dbus.service.signal(NAME, signature="us")
            def ActionInvoked(self, number, key):
                pass
            @dbus.service.signal(NAME, signature="uu")
            def NotificationClosed(self, number, reason):
                pass
        server = Server(bus, "/org/freedesktop/Notifications")
        name = dbus.service.BusName(NAME, bus)
        loop = GLib.MainLoop()
        rest = b""
        def heard(*_):
            global rest
            data = hand.recv(4096)
            if not data:
                loop.quit()
                return False
            rest += data
            while b"\\n" in rest:
                line, rest = rest.split(b"\\n", 1)
                what, number, argument = line.decode().split(" ")
                if what == "answer":
                    server.ActionInvoked(dbus.UInt32(int(number)), argument)
                else:
                    server.NotificationClosed(dbus.UInt32(int(number)), dbus.UInt32(int(argument)))
            return True
        GLib.io_add_watch(0, GLib.IO_IN | GLib.IO_HUP, heard)
        say("ready")
        loop.run()
        """
}

/// What an assistant says, line by line.
final class LineQueue: Sendable {
    private let process: AssistantProcess
    private let rest = RestOfText()

    init(_ process: AssistantProcess) { self.process = process }

    func next() async throws -> String {
        while true {
            if let line = await rest.nextLine() { return line }
            await rest.append(try await process.hear())
        }
    }

    private actor RestOfText {
        private var text = ""

        func append(_ more: String) { text += more }

        func nextLine() -> String? {
            guard let end = text.firstIndex(of: "\n") else { return nil }
            let line = String(text[..<end])
            text = String(text[text.index(after: end)...])
            return line
        }
    }
}
