import Dispatch
import Glibc
import Testing

@testable import locctl

/// All output reaches the reader.
@Suite(.timeLimit(.minutes(2)))
struct OutputTests {
    @Test func pipeThatIsFullIsWaitedForAlsoWhereNothingWaits() async throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let (reader, writer) = (ends[0], ends[1])
        #expect(fcntl(writer, F_SETFL, O_NONBLOCK) == 0)
        defer { close(reader) }
        let (written, end) = AsyncStream.makeStream(of: Void.self)
        DispatchQueue(label: "writing").async {
            Output.writeBytes([UInt8](repeating: 0x78, count: 1 << 20), to: writer)
            close(writer)
            end.finish()
        }
        let count = await withCheckedContinuation { continuation in
            DispatchQueue(label: "reading").async { continuation.resume(returning: Self.countLate(reader)) }
        }
        for await _ in written {}
        #expect(count == 1 << 20)
    }

    /// Reads when the pipe is full, to its end.
    private static func countLate(_ reader: Int32) -> Int {
        var (count, waiting): (Int, Int32) = (0, 0)
        var entry = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
        while waiting < 65_536, poll(&entry, 1, -1) == 1, entry.revents & Int16(POLLHUP) == 0 {
            guard ioctl(reader, UInt(FIONREAD), &waiting) == 0 else { return -1 }
        }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while poll(&entry, 1, -1) == 1, case let new = read(reader, &bytes, bytes.count), new > 0 { count += new }
        return count
    }
}
