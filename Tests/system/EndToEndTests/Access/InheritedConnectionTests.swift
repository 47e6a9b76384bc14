import ClientTestSupport
import Foundation
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Testing

/// A connection ends with the process that made it, whoever has its socket by then.
@Suite(.onOwnThread, .timeLimit(.minutes(10)), .enabled(if: OtherUser.canBeBecome, "becoming other users takes root"))
struct InheritedConnectionTests {
    private let stranger = OtherUser.stranger.number

    /// The child of the one who connected goes on reading, and tells by the hand how that ends.
    private static let heir = """
        import json, os, select, socket, sys, time
        hand = socket.socket(fileno=0)
        daemon = socket.socket(socket.AF_UNIX)
        daemon.connect(sys.argv[1])
        daemon.sendall(b'{"method":"org.locationd.location.Watch","more":true}\\0')
        rest = b""
        def locations():
            global rest
            data = daemon.recv(65536)
            if not data:
                return None
            *messages, rest = (rest + data).split(b"\\0")
            replies = [json.loads(message)["parameters"] for message in messages]
            return [reply["location"] for reply in replies if "location" in reply]
        while not locations():
            pass
        inner, outer = socket.socketpair()
        parent = os.getpid()
        if os.fork():
            inner.recv(1)
            hand.sendall(b"inherited")
            hand.recv(1)
            os._exit(0)
        watch = os.pidfd_open(parent)
        while not locations():
            pass
        outer.sendall(b"!")
        select.select([watch], [], [])
        death = time.clock_gettime(time.CLOCK_BOOTTIME)
        late = 0
        while (heard := locations()) is not None:
            late += sum(location["monotonicTime"] > death + 1 for location in heard)
        try:
            daemon.sendall(b'{"method":"org.locationd.location.GetLocation"}\\0')
            answer = daemon.recv(1)
        except OSError:
            answer = b""
        hand.sendall(f"ended, {late} late, {len(answer)} answered".encode())
        """

    @Test func childThatKeepsItReadsTheEnd() throws {
        let daemon = try DaemonProcess(Settings.simulator(rate: 20))
        try daemon.decide(.authorizedAlways, "uid:\(stranger)")
        let assistant = try AssistantProcess(AssistantProcess.python(Self.heir, [daemon.socket]), uid: stranger)
        #expect(try receiveText(assistant.hand) == "inherited")
        let clients = try daemon.clients()
        #expect(clients.filter { $0.socket == .location }.map(\.pid) == [Int(assistant.id)])
        try assistant.nudge()
        #expect(try receiveText(assistant.hand) == "ended, 0 late, 0 answered")
        try waitUntil("the client is gone") { try daemon.statistics().watches == 0 }
        try waitUntil("nobody needs the receiver") { try daemon.statistics().demand == false }
    }

    /// Handing it on to one who may not know is no way either.
    @Test func oneToWhomItWasHandedReadsTheEnd() throws {
        let daemon = try DaemonProcess(Settings.simulator(rate: 20))
        let program = try OtherUserProcess(uid: 0)
        let connection = try program.connect(to: daemon.socket)
        try connection.watch()
        try connection.awaitLocation()
        #expect(Glibc.kill(program.pid, SIGKILL) == 0)
        _ = try connection.awaitEnd()
        try waitUntil("the client is gone") { try daemon.statistics().watches == 0 }
    }
}
