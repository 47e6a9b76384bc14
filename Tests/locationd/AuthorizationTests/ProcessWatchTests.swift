import Authorization
import Glibc
import ProgramTestSupport
import Testing

/// The end of a process is told once, whenever it comes.
@Suite(.timeLimit(.minutes(10)))
struct ProcessWatchTests {
    /// A program that ends when it is let go.
    private func child() throws -> (assistant: AssistantProcess, process: ProcessDescriptor) {
        let assistant = try AssistantProcess(["cat"])
        guard case .value(let process) = KernelPeerCalls().openProcess(assistant.id) else {
            throw Failure("the process cannot be opened")
        }
        return (assistant, process)
    }

    private func start() throws -> (watch: ProcessWatch, ended: AsyncStream<Int>) {
        let (ended, continuation) = AsyncStream.makeStream(of: Int.self)
        return (try #require(ProcessWatch { continuation.yield($0) }), ended)
    }

    @Test func endIsToldOnce() async throws {
        let (watch, stream) = try start()
        var ended = stream.makeAsyncIterator()
        let (first, second) = (try child(), try child())
        #expect(watch.watch(first.process, as: 1))
        #expect(watch.watch(second.process, as: 2))
        try await first.assistant.end()
        #expect(await ended.next() == 1)
        try await second.assistant.end()
        #expect(await ended.next() == 2)
    }

    /// The kernel wakes those who wait for a process when it ends, and again when its parent takes note.
    @Test(
        .enabled(if: access(AssistantProcess.interpreter, X_OK) == 0, "visitors need \(AssistantProcess.interpreter)"))
    func endIsNotToldAgainWhenTheParentTakesNote() async throws {
        let (watch, stream) = try start()
        var ended = stream.makeAsyncIterator()
        let parent = try AssistantProcess(AssistantProcess.python(Script.leaveUnreaped))
        let id = try #require(Int32(try await parent.hear()))
        guard case .value(let process) = KernelPeerCalls().openProcess(id) else {
            throw Failure("the process cannot be opened")
        }
        #expect(watch.watch(process, as: 1))
        try parent.nudge()
        #expect(await ended.next() == 1)
        try parent.nudge()
        #expect(try await parent.hear() == "reaped")
        let other = try child()
        #expect(watch.watch(other.process, as: 2))
        try await other.assistant.end()
        #expect(await ended.next() == 2)
    }

    @Test func endedProcessIsToldAtOnce() async throws {
        let (watch, stream) = try start()
        var ended = stream.makeAsyncIterator()
        let child = try child()
        try await child.assistant.end()
        #expect(watch.watch(child.process, as: 7))
        #expect(await ended.next() == 7)
        // And not again before the next.
        let other = try self.child()
        #expect(watch.watch(other.process, as: 0))
        try await other.assistant.end()
        #expect(await ended.next() == 0)
    }

    @Test func closedDescriptorIsWatchedNoLonger() async throws {
        let (watch, stream) = try start()
        var ended = stream.makeAsyncIterator()
        let first = try {
            let (assistant, process) = try child()
            #expect(watch.watch(process, as: 1))
            return assistant
        }()
        let second = try child()
        #expect(watch.watch(second.process, as: 2))
        try await first.end()
        try await second.assistant.end()
        #expect(await ended.next() == 2)
    }

    @Test func oneProcessIsWatchedThroughManyDescriptors() async throws {
        let (watch, stream) = try start()
        let (assistant, process) = try child()
        var processes = [process]
        for _ in 1..<200 {
            guard case .value(let process) = KernelPeerCalls().openProcess(assistant.id) else {
                throw Failure("the process cannot be opened")
            }
            processes.append(process)
        }
        for (number, process) in processes.enumerated() { #expect(watch.watch(process, as: number)) }
        try await assistant.end()
        var told: Set<Int> = []
        for await number in stream {
            #expect(told.insert(number).inserted)
            if told.count == processes.count { break }
        }
        #expect(told == Set(0..<200))
    }

    @Test func whatCannotBeWatchedIsSaid() throws {
        let (watch, _) = try start()
        let (assistant, process) = try child()
        #expect(!watch.watch(process, as: -1))
        #expect(watch.watch(process, as: 1))
        #expect(!watch.watch(process, as: 2))
        #expect(!watch.watch(ProcessDescriptor(owning: -1), as: 3))
        withExtendedLifetime(assistant) {}
    }

    @Test(arguments: [true, false])
    func threadEndsWithTheWatch(_ isStopped: Bool) async throws {
        let (gone, continuation) = AsyncStream.makeStream(of: Int.self)
        // Held by what is told alone, which the thread holds until it ends.
        final class Sentinel: Sendable {
            let end: @Sendable () -> Void
            init(_ end: @escaping @Sendable () -> Void) { self.end = end }
            deinit { end() }
        }
        var watch = {
            let sentinel = Sentinel { continuation.finish() }
            return ProcessWatch { _ in withExtendedLifetime(sentinel) {} }
        }()
        let (first, second) = (try child(), try child())
        #expect(watch?.watch(first.process, as: 1) == true)
        if isStopped { watch?.stop() } else { watch = nil }
        for await _ in gone {}
        // Nobody waits any more.
        #expect(watch?.watch(second.process, as: 2) != true)
        withExtendedLifetime((first, second)) {}
    }

    @Test(
        .enabled(if: access(AssistantProcess.interpreter, X_OK) == 0, "visitors need \(AssistantProcess.interpreter)"))
    func endIsToldThoughAChildKeepsTheConnection() async throws {
        let (watch, stream) = try start()
        var ended = stream.makeAsyncIterator()
        let entrance = try Entrance()
        let assistant = try AssistantProcess(AssistantProcess.python(Script.bequeath, [entrance.path]))
        let connection = try await entrance.accept()
        let peer = try #require(Peer.identify(socket: connection.descriptor, tree: ControlGroupTree()))
        #expect(peer.principal.pid == assistant.id)
        #expect(watch.watch(peer.process, as: 5))
        try assistant.nudge()
        #expect(await ended.next() == 5)
        // The connection lives, in the hands of somebody else; it goes when that one is let go.
        #expect(try await connection.hear() == "heir")
        try await assistant.end()
        #expect(try await connection.hear().isEmpty)
    }
}
