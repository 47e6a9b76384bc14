import Glibc
import ProgramTestSupport
import Testing

@testable import ServiceKit

/// What a service says reaches systemd's socket byte by byte.
@Suite struct NotificationTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(arguments: [
        (Notification.ready, "READY=1"),
        (.reloading(since: 36_314_689_022), "RELOADING=1\nMONOTONIC_USEC=36314689022"),
        (.stopping, "STOPPING=1"),
        (.watchdog, "WATCHDOG=1"),
        (.status("tracking, ±4 m"), "STATUS=tracking, ±4 m"),
        (.status("no\nbroker", isDegraded: true), "STATUS=degraded: no broker"),
        (.status(""), "STATUS="),
        (.status("two\nlines\r\nand\tmore"), "STATUS=two lines  and more"),
    ])
    func arrivesAsSystemdReadsIt(_ notification: Notification, _ text: String) throws {
        let receiver = try NotificationReceiver(folder("notify"))
        let socket = try NotificationSocket(receiver.address)
        #expect(socket.send(notification, waits: true))
        #expect(socket.send(notification, waits: false))
        #expect(receiver.messages == [text, text])
    }

    @Test func severalArriveAsOne() throws {
        let receiver = try NotificationReceiver(folder("notify"))
        #expect(try NotificationSocket(receiver.address).send(.ready, .status("idle"), waits: true))
        #expect(receiver.messages == ["READY=1\nSTATUS=idle"])
    }

    @Test func abstractNameIsReached() throws {
        let receiver = try NotificationReceiver("@locationd-test-\(getpid())-\(UInt32.random(in: .min ... .max))")
        #expect(try NotificationSocket(receiver.address).send(.ready, waits: true))
        #expect(receiver.messages == ["READY=1"])
    }

    @Test func longestPathIsReached() throws {
        let name = folder.path + "/" + String(repeating: "n", count: 106 - folder.path.utf8.count)
        let receiver = try NotificationReceiver(name)
        #expect(try NotificationSocket(name).send(.ready, waits: true))
        #expect(receiver.messages == ["READY=1"])
    }

    @Test(arguments: ["", "@", "/", "notify", "vsock:2:1234", "/" + String(repeating: "n", count: 107)])
    func addressThatCannotBeIsRefused(_ name: String) {
        let error = #expect(throws: SystemdError.self) { try NotificationSocket(name) }
        #expect(error?.description.hasPrefix("NOTIFY_SOCKET=\(name) is neither a path") == true)
    }

    @Test func longStatusIsCutOff() throws {
        let receiver = try NotificationReceiver(folder("notify"))
        let line = String(repeating: "±", count: 4096)
        #expect(try NotificationSocket(receiver.address).send(.status(line), waits: true))
        #expect(receiver.messages == ["STATUS=" + line.prefix(Notification.longestStatus)])
    }

    @Test func receiverThatIsGoneIsNotReached() throws {
        let socket = try NotificationSocket(folder("notify"))
        #expect(!socket.send(.ready, waits: true))
        let receiver = try NotificationReceiver(folder("notify"))
        #expect(socket.send(.ready, waits: true), "one that comes later is")
        #expect(receiver.messages == ["READY=1"])
    }

    @Test func busyReceiverHoldsNobodyUp() throws {
        let receiver = try NotificationReceiver(folder("notify"))
        let socket = try NotificationSocket(receiver.address)
        var sent = 0
        while sent < 100_000, socket.send(.watchdog, waits: false) { sent += 1 }
        #expect(sent > 0 && sent < 100_000, "the queue is full")
        #expect(receiver.messages.count == sent)
        #expect(socket.send(.watchdog, waits: false), "and empty again")
    }
}
