import Foundation
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Synchronization
import Testing

@testable import GPSDSource

/// Whatever gpsd, or what pretends to be one, may send: the reader neither hangs nor falls, and reads the next line.
///
/// libgps by itself loops for ever on some such lines, so the work is done on a thread that is watched.
@Suite struct FuzzTests {
    private static let lines = 20_000
    private static let samples = [
        Line.fullTPV, Line.fullSKY, Line.fullATT, Line.sky(satellites: 12, used: 7), Line.tpv(#""mode":1"#),
    ]

    /// How far the thread has come, with the line it is at.
    private final class Progress: Sendable {
        struct State {
            var line: [UInt8] = []
            var taken = 0
            var decoded = 0
            var lost = 0
            var isOver = false
        }
        let state = Mutex(State())
    }

    private static func fuzz(seed: UInt64, _ progress: Progress) {
        var mutation = Mutation(seed: seed)
        let talk = Talk.streaming(devices: Line.device)
        for number in 0..<lines {
            let sample = samples[number % samples.count]
            let line =
                number % 2 == 0
                ? mutation.damaged(sample, samples[number / 2 % samples.count])
                : mutation.invented(["TPV", "SKY", "ATT"][number / 2 % 3])
            progress.state.withLock { $0.line = line }
            let steps = talk.hear(line)
            let isDecoded = if case .report = MessageGate.passage(for: line) { true } else { false }
            let isLost = number % 100 == 0 && (try? talk.fix(Line.fullTPV))?.altitude != 1127.3375
            progress.state.withLock {
                $0.taken += steps.contains { if case .fail = $0 { true } else { false } } ? 0 : 1
                $0.decoded += isDecoded ? 1 : 0
                $0.lost += isLost ? 1 : 0
            }
        }
        progress.state.withLock { $0.isOver = true }
    }

    @Test(arguments: [1, 2] as [UInt64]) func mutatedLinesNeitherHangNorCrash(seed: UInt64) async throws {
        let progress = Progress()
        Thread.detachNewThread { Self.fuzz(seed: seed, progress) }
        let clock = ContinuousClock()
        var (seen, changed) = (-1, clock.now)
        while true {
            let state = progress.state.withLock { $0 }
            if state.isOver { break }
            if state.taken != seen { (seen, changed) = (state.taken, clock.now) }
            // A line takes some microseconds.
            guard clock.now - changed < .seconds(60) else {
                throw Failure("hangs at \(String(decoding: state.line, as: UTF8.self))")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        let state = progress.state.withLock { $0 }
        #expect(state.taken == Self.lines)
        #expect(state.lost == 0)
        // Enough of it reached libgps to be worth something.
        #expect(state.decoded > Self.lines / 3)
    }
}
