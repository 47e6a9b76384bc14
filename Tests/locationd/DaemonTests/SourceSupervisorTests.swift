import LocationHub
@_spi(Programs) import LocationModel
import Logging
@_spi(Programs) import SystemSupport
import Testing

@testable import locationd

/// Sources run while somebody needs them, and no others.
@Suite(.timeLimit(.minutes(10)))
struct SourceSupervisorTests {
    private let silence = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    private let mailbox = Mailbox { _ in }

    /// Runs a supervisor beside `body`, and ends it.
    private func supervise(
        _ sources: [any LocationSource], _ body: (SourceSupervisor) async throws -> Void
    ) async throws {
        let supervisor = SourceSupervisor(sources: sources, logger: silence)
        let mailbox = mailbox
        let running = Task { await supervisor.run(into: mailbox) }
        do {
            try await body(supervisor)
        } catch {
            running.cancel()
            throw error
        }
        running.cancel()
        await running.value
    }

    @Test func sourcesRunOnDemand() async throws {
        let first = FakeSource("first")
        let second = FakeSource("second")
        try await supervise([first, second]) { supervisor in
            supervisor.demand(2)
            for source in [first, second] {
                #expect(await source.reached(starts: 1, ends: 0) == .init(starts: 1, ends: 0))
            }
            supervisor.demand(0)
            for source in [first, second] {
                #expect(await source.reached(starts: 1, ends: 1) == .init(starts: 1, ends: 1))
            }
            supervisor.demand(2)
            #expect(await first.reached(starts: 2, ends: 1).isRunning)
        }
        // The supervisor ends when its sources have.
        #expect(await first.reached(starts: 0, ends: 0) == .init(starts: 2, ends: 2))
    }

    @Test func aSourceThatIsSwitchedOffStopsAloneAndRunsAnewWhenItIsOnAgain() async throws {
        let first = FakeSource("first")
        let second = FakeSource("second")
        try await supervise([first, second]) { supervisor in
            supervisor.demand(2)
            for source in [first, second] { _ = await source.reached(starts: 1, ends: 0) }
            supervisor.setSwitchedOff(["first"])
            _ = await first.reached(starts: 1, ends: 1)
            supervisor.setSwitchedOff([])
            #expect(await first.reached(starts: 2, ends: 1).isRunning)
            #expect(await second.reached(starts: 1, ends: 0) == .init(starts: 1, ends: 0))
            // Nobody may have noticed that it was off: it is another run nevertheless.
            supervisor.setSwitchedOff(["first"])
            supervisor.setSwitchedOff([])
            #expect(await first.reached(starts: 3, ends: 2).isRunning)
        }
    }

    @Test func theStopIsAwaited() async throws {
        let source = FakeSource("source")
        try await supervise([source]) { supervisor in
            await supervisor.awaitStop()
            supervisor.demand(1)
            _ = await source.reached(starts: 1, ends: 0)
            supervisor.demand(0)
            await supervisor.awaitStop()
            #expect(await source.reached(starts: 0, ends: 0) == .init(starts: 1, ends: 1))
        }
    }

    @Test func withoutDemandNothingStarts() async throws {
        let idle = FakeSource("idle")
        let other = FakeSource("other")
        try await supervise([idle]) { supervisor in
            supervisor.demand(0)
            supervisor.replace(with: [other])
            supervisor.demand(2)
            _ = await other.reached(starts: 1, ends: 0)
        }
        #expect(await idle.reached(starts: 0, ends: 0).starts == 0)
    }

    @Test func demandFromBeforeIsHeeded() async throws {
        let source = FakeSource("source")
        let supervisor = SourceSupervisor(sources: [source], logger: silence)
        supervisor.demand(2)
        let mailbox = mailbox
        let running = Task { await supervisor.run(into: mailbox) }
        #expect(await source.reached(starts: 1, ends: 0).isRunning)
        running.cancel()
        await running.value
        #expect(await source.reached(starts: 1, ends: 1).isRunning == false)
    }

    @Test func asManyRunAsAreWantedAndTheOthersGoOn() async throws {
        let sources = ["a", "b", "c"].map { FakeSource($0) }
        try await supervise(sources) { supervisor in
            supervisor.demand(1)
            #expect(await sources[0].reached(starts: 1, ends: 0).isRunning)
            supervisor.demand(3)
            #expect(await sources[2].reached(starts: 1, ends: 0).isRunning)
            supervisor.demand(2)
            #expect(await sources[2].reached(starts: 1, ends: 1) == .init(starts: 1, ends: 1))
            for source in sources[..<2] {
                #expect(await source.reached(starts: 1, ends: 0) == .init(starts: 1, ends: 0))
            }
        }
    }

    /// Nobody may see in time that it was not wanted for a moment; the hub counts on a new beginning all the same.
    @Test func briefRestIsABeginningToo() async throws {
        let source = FakeSource("source")
        try await supervise([source]) { supervisor in
            for round in 1...50 {
                supervisor.demand(1)
                #expect(await source.reached(starts: round, ends: round - 1).isRunning)
                supervisor.demand(0)
            }
        }
    }

    @Test func replacedSourcesEndBeforeTheNewOnesBegin() async throws {
        let old = FakeSource("old")
        let new = FakeSource("new")
        try await supervise([old]) { supervisor in
            supervisor.demand(2)
            _ = await old.reached(starts: 1, ends: 0)
            supervisor.replace(with: [new])
            _ = await new.reached(starts: 1, ends: 0)
            #expect(await old.reached(starts: 0, ends: 0) == .init(starts: 1, ends: 1))
            #expect(supervisor.reports.map(\.name) == ["new"])
            #expect(supervisor.reports.first?.counters == ["starts": 1])
        }
    }

    @Test func theHubLearnsOfNewSourcesBetweenTheOldAndTheNew() async throws {
        let old = FakeSource("old")
        let new = [FakeSource("new"), FakeSource("spare")]
        let supervisor = SourceSupervisor(sources: [old], logger: silence)
        supervisor.demand(2)
        let mailbox = mailbox
        let running = Task {
            await supervisor.run(into: mailbox) { names, compasses, _ in
                #expect(names == ["new", "spare"])
                #expect(compasses.isEmpty)
                #expect(await old.reached(starts: 1, ends: 1) == .init(starts: 1, ends: 1))
                #expect(await new[0].reached(starts: 0, ends: 0).starts == 0)
            }
        }
        _ = await old.reached(starts: 1, ends: 0)
        supervisor.replace(with: new)
        #expect(await new[0].reached(starts: 1, ends: 0).isRunning)
        running.cancel()
        await running.value
    }

    @Test func compassesRunApartFromTheRanks() async throws {
        let receiver = FakeSource("receiver")
        let compass = FakeSource("compass", isCompass: true)
        try await supervise([receiver, compass]) { supervisor in
            supervisor.demand(2)
            _ = await receiver.reached(starts: 1, ends: 0)
            supervisor.demandCompasses(true)
            #expect(await compass.reached(starts: 1, ends: 0) == .init(starts: 1, ends: 0))
            supervisor.demandCompasses(false)
            #expect(await compass.reached(starts: 1, ends: 1) == .init(starts: 1, ends: 1))
            supervisor.demandCompasses(true)
            supervisor.demand(0)
            _ = await receiver.reached(starts: 1, ends: 1)
            #expect(await compass.reached(starts: 2, ends: 1).isRunning)
        }
    }

    @Test func sourceThatReturnsEarlyLeavesTheOthersAlone() async throws {
        let short = FakeSource("short", returnsEarly: true)
        let long = FakeSource("long")
        try await supervise([short, long]) { supervisor in
            supervisor.demand(2)
            _ = await short.reached(starts: 1, ends: 1)
            _ = await long.reached(starts: 1, ends: 0)
            // Every chance to start something over and over.
            for _ in 0..<2000 { await Task.yield() }
            #expect(await short.reached(starts: 1, ends: 1) == .init(starts: 1, ends: 1))
            #expect(await long.reached(starts: 1, ends: 0) == .init(starts: 1, ends: 0))
            // The next demand starts it again.
            supervisor.demand(0)
            _ = await long.reached(starts: 1, ends: 1)
            supervisor.demand(2)
            _ = await short.reached(starts: 2, ends: 2)
        }
    }

    @Test func eventsCarryTheRankOfTheirSource() async throws {
        let sources = ["a", "b", "c"].map { FakeSource($0) }
        try await supervise(sources) { supervisor in
            supervisor.demand(3)
            for source in sources { _ = await source.reached(starts: 1, ends: 0) }
            supervisor.demand(0)
            for source in sources { _ = await source.reached(starts: 1, ends: 1) }
        }
        let told = mailbox.empty().entries.map { letter in
            if case .condition(.connected(let name?)) = letter.event { (letter.rank, name) } else { (-1, "") }
        }
        #expect(told.map(\.0).sorted() == [0, 1, 2])
        #expect(told.allSatisfy { rank, name in sources.indices.contains(rank) && sources[rank].name == name })
    }

    @Test func anomaliesAreLoggedAndNotPosted() async throws {
        struct Odd: LocationSource {
            let name = "odd"
            let done = Latest(false)
            func run(deliver: @escaping @Sendable (SourceEvent) -> Void) async {
                deliver(.anomaly(kind: "malformed", total: 1, example: "{"))
                done.change { $0 = true }
            }
        }
        let odd = Odd()
        try await supervise([odd]) { supervisor in
            supervisor.demand(2)
            _ = await odd.done.change(after: 1)
        }
        #expect(mailbox.empty().entries.isEmpty)
    }
}
