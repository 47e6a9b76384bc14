@_spi(Programs) import LocationModel
import Places
import Synchronization
@_spi(Programs) import SystemSupport

/// A time that goes on only as it is told to.
final class OnlineTestClock: Sendable {
    private struct Sleeper {
        let number: Int
        let end: BootInstant
        let continuation: CheckedContinuation<Bool, Never>
    }

    private typealias Waiting = (count: Int, continuation: CheckedContinuation<Void, Never>)

    private struct State {
        var elapsed = 0.0
        var jump = 0.0
        var number = 0
        var sleepers: [Sleeper] = []
        var waiting: [Waiting] = []
    }

    private let state = Mutex(State())
    private let step: Double

    /// - Parameter step: Seconds that pass whenever somebody looks, so that nobody has to wait for the rate.
    init(step: Double = 0) {
        self.step = step
    }

    var clock: ServiceClock {
        ServiceClock(
            now: { [self] in
                BootInstant(
                    seconds: state.withLock { state in
                        state.elapsed += step
                        return 1000 + state.elapsed
                    })
            },
            utc: { [self] in
                UTCTime(
                    seconds: 1_700_000_000, nanoseconds: state.withLock { Int64(($0.elapsed + $0.jump) * 1e9) })
            },
            sleep: { [self] in try await sleep($0 / .seconds(1)) })
    }

    /// Lets so many seconds pass; who has slept long enough wakes.
    func advance(_ seconds: Double) {
        let ready = state.withLock { state in
            state.elapsed += seconds
            let now = BootInstant(seconds: 1000 + state.elapsed)
            let ready = state.sleepers.filter { $0.end <= now }
            state.sleepers.removeAll { $0.end <= now }
            return ready
        }
        for sleeper in ready { sleeper.continuation.resume(returning: true) }
    }

    /// Sets the wall clock so much further.
    func jump(_ seconds: Double) { state.withLock { $0.jump += seconds } }

    /// Waits until so many sleep at once.
    func asleep(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isSo = state.withLock { state in
                if state.sleepers.count < count { state.waiting.append((count, continuation)) }
                return state.sleepers.count >= count
            }
            if isSo { continuation.resume() }
        }
    }

    private func sleep(_ seconds: Double) async throws {
        let number = state.withLock { state in
            state.number += 1
            return state.number
        }
        let isOver = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isCancelled, ready) = state.withLock { state -> (Bool, [Waiting]) in
                    guard !Task.isCancelled else { return (true, []) }
                    let end = BootInstant(seconds: 1000 + state.elapsed).advanced(bySeconds: seconds)
                    state.sleepers.append(Sleeper(number: number, end: end, continuation: continuation))
                    let count = state.sleepers.count
                    let ready = state.waiting.filter { $0.count <= count }
                    state.waiting.removeAll { $0.count <= count }
                    return (false, ready)
                }
                for waiter in ready { waiter.continuation.resume() }
                if isCancelled { continuation.resume(returning: false) }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.sleepers.firstIndex { $0.number == number }.map { state.sleepers.remove(at: $0) }
            }
            sleeper?.continuation.resume(returning: false)
        }
        if !isOver { throw CancellationError() }
    }
}
