import Dispatch
import Synchronization
@_spi(Programs) import SystemSupport
import Testing

/// A thread that the system does not let go is left behind, once.
@Suite(.timeLimit(.minutes(10)))
struct ThreadPlaceTests {
    /// Whoever reads from it is held until it is signalled.
    private final class Disk: Sendable {
        let answer = DispatchSemaphore(value: 0)
        let answered = Mutex(0)

        func read() {
            answer.wait()
            answered.withLock { $0 += 1 }
        }
    }

    private let disk = Disk()
    private let place = ThreadPlace(patience: 0.01)

    private func run(isHeld: @escaping @Sendable () -> Void = {}) -> (Task<Void, Never>, begun: AsyncStream<Void>) {
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        let (disk, place) = (disk, place)
        let task = Task {
            await place.run(
                named: "held",
                { _ in
                    {
                        beginning.yield()
                        disk.read()
                    }
                }, isShort: { _ in }, isHeld: isHeld)
        }
        return (task, begun)
    }

    private func awaitFirst(_ stream: AsyncStream<Void>) async {
        for await _ in stream { return }
    }

    /// Leaves a thread behind.
    private func leave() async {
        let (task, begun) = run()
        await awaitFirst(begun)
        task.cancel()
        await task.value
        #expect(disk.answered.withLock { $0 } == 0, "whoever is cancelled does not wait for the disk")
    }

    @Test func nextOneWaitsForThePlace() async {
        await leave()
        let (held, holding) = AsyncStream.makeStream(of: Void.self)
        let (next, begun) = run { holding.yield() }
        await awaitFirst(held)
        disk.answer.signal()
        await awaitFirst(begun)
        #expect(disk.answered.withLock { $0 } == 1)
        disk.answer.signal()
        await next.value
        #expect(disk.answered.withLock { $0 } == 2)
    }

    @Test func whoWaitsForThePlaceCanBeCancelled() async {
        await leave()
        let (held, holding) = AsyncStream.makeStream(of: Void.self)
        let (next, _) = run { holding.yield() }
        await awaitFirst(held)
        next.cancel()
        await next.value
        #expect(disk.answered.withLock { $0 } == 0)
        disk.answer.signal()
    }

    @Test func threadThatEndsGivesThePlaceBack() async {
        let waits = Mutex(0)
        for _ in 0..<20 {
            await place.run(named: "brief", { _ in {} }, isShort: { _ in }, isHeld: { waits.withLock { $0 += 1 } })
        }
        #expect(waits.withLock { $0 } == 0)
    }
}
