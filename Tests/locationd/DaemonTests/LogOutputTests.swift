import Glibc
@_spi(Programs) import LocationModel
import LocationServer
import Logging
import ProgramTestSupport
import ServiceKit
import Synchronization
import Testing

@testable import locationd

/// Where records go: the journal, lines with a priority, plain lines; and what becomes of them when nobody reads.
@Suite(.timeLimit(.minutes(10)))
struct LogOutputTests {
    private let folder: TemporaryFolder
    private let errors: Pipe
    private let record = LogRecord(.warning, "sentence", ["key": "value"], event: .limitReached)
    private var path: String { folder("journal") }

    init() throws {
        folder = try TemporaryFolder()
        errors = try Pipe()
    }

    private func output(announced: String?) -> LogOutput {
        LogOutput(descriptor: errors.input, announced: announced, path: path)
    }

    @Test func plainLinesWhereTheJournalDoesNotListen() throws {
        let journal = try JournalStandIn(path)
        for announced in [nil, "1:1", "nonsense"] {
            output(announced: announced).write(record)
            #expect(try errors.text() == "warning: sentence key=value\n")
        }
        output(announced: nil).write(failure: "no room")
        #expect(try errors.text() == "locationd: no room\n")
        #expect(journal.isEmpty)
    }

    @Test func recordsForTheJournalWhereItListens() throws {
        let journal = try JournalStandIn(path)
        let output = output(announced: try errors.identity)
        output.write(record)
        #expect(try journal.next() == .datagram(record.entry.bytes))
        output.write(failure: "no room")
        let failure = try journal.next().text
        #expect(failure.contains("MESSAGE=locationd cannot run reason=\"no room\"\nPRIORITY=2\n"))
        #expect(failure.contains("MESSAGE_ID=\(ServiceEvent.failed.rawValue)\n"))
        #expect(try errors.text() == "")
    }

    @Test func linesWithPriorityWhileTheJournalIsGone() throws {
        let output = output(announced: try errors.identity)
        output.write(record)
        output.write(failure: "no room")
        #expect(try errors.text() == "<4>sentence key=value\n<2>locationd cannot run reason=\"no room\"\n")
        let journal = try JournalStandIn(path)
        output.write(record)
        #expect(try journal.next() == .datagram(record.entry.bytes), "it is found again")
    }

    @Test func linesWithPriorityWhileTheJournalIsFull() throws {
        let journal = try JournalStandIn(path)
        let output = output(announced: try errors.identity)
        var sent = 0
        while try errors.text() == "", sent < 100_000 {
            output.write(record)
            sent += 1
        }
        #expect((2..<100_000).contains(sent) && !journal.isEmpty)
    }

    @Test func nobodyReadingIsNotWaitedForAndLossesAreSaid() throws {
        let output = output(announced: nil)
        // A pipe takes 64 KiB; a write that waited would end the test's time.
        for _ in 0..<5000 { output.write(record) }
        let first = try errors.text()
        let line = "warning: sentence key=value\n"
        #expect(first.hasPrefix(line))
        output.write(record)
        let rest = (first + (try errors.text())).split(separator: "\n", omittingEmptySubsequences: true)
        let whole = rest.count { "\($0)\n" == line }
        let lost = try #require(
            rest.first { $0.hasSuffix("lines of the log were dropped, because its reader was too slow") })
        let count = try #require(lost.split(separator: " ").dropFirst().first.flatMap { Int($0) })
        #expect(lost.hasPrefix("warning: "))
        #expect(whole + count == 5001)
    }

    @Test func closedOutputEndsNothing() throws {
        let output = output(announced: nil)
        errors.closeOutput()
        signal(SIGPIPE, SIG_IGN)
        for _ in 0..<3 { output.write(record) }
        #expect(try JournalStandIn(path).isEmpty)
    }

    @Test func levelIsSharedByAllLoggersWhateverTheOutput() throws {
        let journal = try JournalStandIn(path)
        for (announced, isJournal) in [(nil, false), (try errors.identity, true)] {
            let log = Log(level: .info, output: output(announced: announced))
            let loggers = ["a", "b"].map { log.logger($0) }
            #expect(loggers.map(\.logLevel) == [.info, .info])
            loggers[0].debug("hidden")
            log.threshold.level = .debug
            #expect(loggers.map(\.logLevel) == [.debug, .debug])
            loggers[1].debug("seen")
            log.threshold.level = .error
            loggers[0].warning("hidden too")
            #expect(log.logger("c", atLeast: .critical).logLevel == .critical)
            if isJournal {
                #expect(try journal.next().text.hasPrefix("MESSAGE=seen\nPRIORITY=7\n"))
                #expect(journal.isEmpty)
            } else {
                #expect(try errors.text() == "debug: seen\n")
            }
        }
    }

    @Test func metadataStaysWithItsLoggerAndTheEventGetsItsNumber() throws {
        let journal = try JournalStandIn(path)
        let log = Log(level: .info, output: output(announced: try errors.identity))
        var logger = log.logger("a")
        logger[metadataKey: "client"] = "7"
        #expect(logger.handler.metadata == ["client": "7"])
        logger.log(.clientDisconnected, ["reason": "slow"])
        let text = try journal.next().text
        #expect(text.hasPrefix("MESSAGE=connection closed by the service client=7 reason=slow\nPRIORITY=5\n"))
        #expect(
            text.hasSuffix("MESSAGE_ID=abc30f8bd85a4acf9b61355c43ea18e0\nLOCATIOND_CLIENT=7\nLOCATIOND_REASON=slow\n"))
        logger.log(.sourceChanged, at: .debug)
        #expect(journal.isEmpty)
    }

    @Test func repeatsAreToldWhenTheirTimeHasCome() async throws {
        let journal = try JournalStandIn(path)
        let now = Mutex(BootInstant(seconds: 0))
        let log = Log(
            level: .info, output: output(announced: try errors.identity), repeats: LogRepeats(interval: 60),
            clock: { now.withLock { $0 } })
        let logger = log.logger("a")
        let running = Task { await log.run() }
        for _ in 0..<2 { logger.log(.fixLost) }
        for _ in 0..<3 { logger.log(.fixFound) }
        #expect(try journal.next().text.hasPrefix("MESSAGE=the fix is lost\n"))
        #expect(try journal.next().text.hasPrefix("MESSAGE=the fix is lost (repeated 1 time)\n"))
        #expect(try journal.next().text.hasPrefix("MESSAGE=there is a fix\n"))
        #expect(journal.isEmpty)
        running.cancel()
        await running.value
        now.withLock { $0 = BootInstant(seconds: 60) }
        let again = Task { await log.run() }
        #expect(try await blocking { try journal.next().text }.hasPrefix("MESSAGE=there is a fix (repeated 2 times)\n"))
        again.cancel()
        await again.value
    }

    @Test func whatIsDueSoonerDoesNotWaitForWhatIsDueLater() async throws {
        let now = Mutex(BootInstant(seconds: 0))
        let (sleeps, sleeper) = AsyncStream.makeStream(of: Double.self)
        let log = Log(
            level: .info, output: output(announced: nil), repeats: LogRepeats(interval: 60),
            clock: { now.withLock { $0 } },
            sleep: { seconds in
                sleeper.yield(seconds)
                let (end, never) = AsyncStream.makeStream(of: Void.self)
                for await _ in end {}
                never.finish()
            })
        let logger = log.logger("a")
        func say(_ event: ServiceEvent, at seconds: Double) {
            now.withLock { $0 = BootInstant(seconds: seconds) }
            logger.log(event)
        }
        say(.fixLost, at: 10)
        say(.fixFound, at: 50)
        say(.fixFound, at: 55)
        let running = Task { await log.run() }
        var slept = sleeps.makeAsyncIterator()
        #expect(await slept.next() == 55)
        say(.fixLost, at: 60)
        #expect(await slept.next() == 10)
        running.cancel()
        await running.value
    }
}

/// Two ends of a pipe; `input` is what is written to.
private final class Pipe {
    let input: Int32
    private let output: Int32
    private var isOpen = true

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0, fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 else { throw Failure("no pipe: \(errno)") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (output, input) = (ends[0], ends[1])
    }

    deinit {
        closeOutput()
        close(input)
    }

    func closeOutput() {
        if isOpen { close(output) }
        isOpen = false
    }

    /// As `JOURNAL_STREAM` has it.
    var identity: String {
        get throws {
            var status = stat()
            guard fstat(input, &status) == 0 else { throw Failure("no status: \(errno)") }
            return "\(status.st_dev):\(status.st_ino)"
        }
    }

    /// All that was written since it was read last.
    func text() throws -> String {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(output, &part, part.count), count > 0 { bytes += part[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }
}
