import Foundation
@_spi(Programs) import LocationModel
import SimulatedSource
@_spi(Programs) import SystemSupport
import Testing

/// One contract, every source: cancelling the task ends `run`, wherever it waits.
@Suite(.timeLimit(.minutes(10))) struct CancellationTests {
    /// Clocks that stand still; a sleeper wakes only when it is cancelled, and `asleep` tells that it sleeps.
    private func frozen(asleep: AsyncStream<Void>.Continuation) -> ServiceClock {
        ServiceClock(
            now: { BootInstant(seconds: 50) }, utc: { ManualTime.origin },
            sleep: { _ in
                asleep.yield()
                try await Task.sleep(for: .seconds(86_400))
            })
    }

    @Test(arguments: ["simulator", "static", "playing", "ended", "missing"])
    func cancellationEndsRun(kind: String) async throws {
        let (sleeps, asleep) = AsyncStream<Void>.makeStream()
        let clocks = frozen(asleep: asleep)
        let start = try SimulatedDriveTests.berlin()
        let file = try TemporaryRecording(entries: [
            RecordingEntry(at: 0, .heading(Heading())), RecordingEntry(at: 60, .heading(Heading())),
        ])
        let short = try TemporaryRecording(entries: [RecordingEntry(at: 0, .heading(Heading()))])
        let source: any LocationSource =
            switch kind {
            case "simulator": SimulatorSource(name: kind, drive: SimulatedDrive(start: start), clock: clocks)
            case "static": StaticSource(name: kind, coordinate: start, clock: clocks)
            case "playing": ReplaySource(name: kind, path: file.path, clock: clocks)
            case "ended": ReplaySource(name: kind, path: short.path, clock: clocks)
            default: ReplaySource(name: kind, path: file.path + ".missing", clock: clocks)
            }
        let log = EventLog()
        let task = Task { await source.run(deliver: log.deliver) }
        for await _ in sleeps { break }
        task.cancel()
        await task.value
        let delivered = log.events.count
        #expect(delivered >= 1)
        #expect(delivered <= 4)
    }

    @Test func aCancelledTaskDeliversNoFix() async throws {
        let (_, asleep) = AsyncStream<Void>.makeStream()
        let source = StaticSource(coordinate: try SimulatedDriveTests.berlin(), clock: frozen(asleep: asleep))
        let log = EventLog()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await source.run(deliver: log.deliver)
        }
        await task.value
        #expect(log.fixes.isEmpty)
    }
}
