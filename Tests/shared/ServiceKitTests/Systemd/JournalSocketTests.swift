import Glibc
import ProgramTestSupport
import ServiceKit
import Testing

/// What arrives at the journal's socket, and what does not.
@Suite(.timeLimit(.minutes(10)))
struct JournalSocketTests {
    private let folder: TemporaryFolder
    private var path: String { folder("socket") }

    init() throws { folder = try TemporaryFolder() }

    private func entry(_ value: String) -> JournalEntry {
        var entry = JournalEntry()
        entry.add("MESSAGE", value)
        return entry
    }

    @Test func entryIsOneDatagram() throws {
        let journal = try JournalStandIn(path)
        let socket = try #require(JournalSocket(path: path))
        for text in ["first", "second\nline"] {
            #expect(socket.send(entry(text)))
            #expect(try journal.next() == .datagram(entry(text).bytes))
        }
    }

    @Test func whatIsTooBigComesInSealedMemory() throws {
        let journal = try JournalStandIn(path)
        let socket = try #require(JournalSocket(path: path))
        let big = entry(String(repeating: "0123456789", count: 100_000))
        #expect(socket.send(big))
        // Nothing can be added, cut off, written or unsealed (fcntl(2): 1 seal, 2 shrink, 4 grow, 8 write).
        #expect(try journal.next() == .memory(big.bytes, seals: 15))
        #expect(socket.send(entry("small")))
        #expect(try journal.next() == .datagram(entry("small").bytes))
    }

    @Test func bigEntriesLeaveNoDescriptorBehind() throws {
        let journal = try JournalStandIn(path)
        let socket = try #require(JournalSocket(path: path))
        let big = entry(String(repeating: "0", count: 1_000_000))
        // A process has a thousand descriptors by default; each of these would take one for ever.
        for _ in 0..<1100 {
            #expect(socket.send(big))
            guard case .memory = try journal.next() else { throw Failure("no memory was handed over") }
        }
    }

    @Test func journalThatIsGoneIsSaidAndFoundAgain() throws {
        let socket = try #require(JournalSocket(path: path))
        #expect(!socket.send(entry("nobody is there")))
        for text in ["first", "after a restart"] {
            let journal = try JournalStandIn(path)
            #expect(socket.send(entry(text)))
            #expect(try journal.next() == .datagram(entry(text).bytes))
            unlink(path)
            #expect(!socket.send(entry("between")))
        }
        #expect(!(try #require(JournalSocket(path: String(repeating: "/long", count: 50)))).send(entry("")))
    }

    @Test func fullJournalIsNotWaitedFor() throws {
        let journal = try JournalStandIn(path)
        let socket = try #require(JournalSocket(path: path))
        var sent = 0
        // The kernel queues as many as net.unix.max_dgram_qlen says; a send that waited would end the test's time.
        while sent < 100_000, socket.send(entry("\(sent)")) { sent += 1 }
        #expect((1..<100_000).contains(sent))
        #expect(try journal.next() == .datagram(entry("0").bytes))
        #expect(socket.send(entry("there is room again")))
    }
}
