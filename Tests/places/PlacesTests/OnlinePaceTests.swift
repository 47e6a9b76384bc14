@_spi(Programs) import LocationModel
import Places
import ProgramTestSupport
import Synchronization
import Testing

/// Who asks is polite: in order, one at a time, at the rate that is set, and not while the service wants none.
@Suite(.timeLimit(.minutes(10)))
struct OnlinePaceTests {
    @Test func secondRequestWaitsForTheRate() async throws {
        let bench = try OnlineBench(step: 0, rate: 0.5)
        bench.stub.always { $0.answer(OnlineBench.town) }
        #expect(await bench.place(1).value != nil)
        async let second = bench.place(2)
        await bench.clock.asleep(1)
        bench.clock.advance(1.9)
        #expect(bench.stub.requests.count == 1)
        bench.clock.advance(0.2)
        #expect(await second.value != nil)
        #expect(bench.stub.requests.count == 2)
    }

    @Test func oneRequestAtATimeInTheOrderOfAsking() async throws {
        let bench = try OnlineBench(waitingLimit: 2)
        let gate = Gate()
        bench.stub.next({ connection in
            gate.wait()
            connection.answer(OnlineBench.town)
        })
        bench.stub.always { $0.answer(OnlineBench.town) }
        async let first = bench.place(1)
        await bench.stub.came(1)
        async let second = bench.place(2)
        try await eventually("requests are waiting") { bench.places.waitingCount == 1 }
        async let third = bench.place(3)
        try await eventually("requests are waiting") { bench.places.waitingCount == 2 }
        #expect(await bench.place(4).failure == .busy(limit: 2))
        #expect(bench.stub.requests.count == 1)
        gate.open()
        #expect(await [first, second, third].allSatisfy { $0.value != nil })
        for (path, latitude) in zip(bench.stub.paths, ["48.00100", "48.00200", "48.00300"]) {
            #expect(path.contains("lat=\(latitude)"))
        }
    }

    /// One user's many requests hold up another's by the one under way.
    @Test func usersHaveTurns() async throws {
        let bench = try OnlineBench(waitingLimit: 4)
        let gate = Gate()
        bench.stub.next({ connection in
            gate.wait()
            connection.answer(OnlineBench.town)
        })
        bench.stub.always { $0.answer(OnlineBench.town) }
        async let first = bench.place(1, uid: 1)
        await bench.stub.came(1)
        let answers = Answers()
        let many = (2...5).map { number in Task { answers.add(await bench.place(number, uid: 1)) } }
        try await eventually("requests are waiting") { bench.places.waitingCount == 4 }
        #expect(await bench.place(6, uid: 1).failure == .busy(limit: 4), "it has them all itself")
        let other = Task { await bench.place(7, uid: 2) }
        // It takes the place of the last of them, and its request comes next.
        try await eventually("an answer is received") { answers.all.count == 1 }
        gate.open()
        #expect(await first.value != nil)
        #expect(await other.value.value != nil)
        #expect(bench.stub.paths[1].contains("lat=48.00700"), "\(bench.stub.paths)")
        for task in many { await task.value }
        #expect(answers.all.count { $0.failure == .busy(limit: 4) } == 1)
        #expect(bench.stub.requests.count == 5)
    }

    /// Who would have more than the other is refused, and the other keeps its place.
    @Test func roomIsMadeForAnEqualShareAlone() async throws {
        let bench = try OnlineBench(waitingLimit: 3)
        let gate = Gate()
        bench.stub.next({ connection in
            gate.wait()
            connection.answer(OnlineBench.town)
        })
        bench.stub.always { $0.answer(OnlineBench.town) }
        async let first = bench.place(1, uid: 1)
        await bench.stub.came(1)
        let answers = Answers()
        let waiting = ([(2, 1), (3, 1), (4, 2)] as [(Int, UInt32)]).map { number, uid in
            Task { answers.add(await bench.place(number, uid: uid)) }
        }
        try await eventually("requests are waiting") { bench.places.waitingCount == 3 }
        let last = Task {
            let answer = await bench.place(5, uid: 2)
            answers.add(answer)
            return answer
        }
        try await eventually("an answer is received") { answers.all.count == 1 }
        gate.open()
        #expect(await last.value.failure == .busy(limit: 3))
        #expect(await first.value != nil)
        for task in waiting { await task.value }
    }

    /// Two users ask the same at the same moment.
    @Test func nobodyWaitsForWhatAnotherUserAsks() async throws {
        let bench = try OnlineBench()
        let gate = Gate()
        bench.stub.next({ connection in
            gate.wait()
            connection.answer(OnlineBench.town)
        })
        bench.stub.always { $0.answer(OnlineBench.town) }
        async let first = bench.place(1, uid: 1)
        await bench.stub.came(1)
        async let second = bench.place(1, uid: 2)
        try await eventually("requests are waiting") { bench.places.waitingCount == 1 }
        #expect(bench.places.sharingCount == 0)
        gate.open()
        #expect(await first.value != nil)
        #expect(await second.value != nil)
        #expect(bench.stub.requests.count == 2)
    }

    @Test func whoGivesUpWhileWaitingIsNeverAskedFor() async throws {
        let bench = try OnlineBench()
        let gate = Gate()
        bench.stub.next({ connection in
            gate.wait()
            connection.answer(OnlineBench.town)
        })
        bench.stub.always { $0.answer(OnlineBench.town) }
        async let first = bench.place(1)
        await bench.stub.came(1)
        let second = Task { await bench.place(2) }
        try await eventually("requests are waiting") { bench.places.waitingCount == 1 }
        second.cancel()
        #expect(await second.value.failure == .cancelled)
        #expect(bench.places.waitingCount == 0)
        gate.open()
        #expect(await first.value != nil)
        #expect(await bench.place(3).value != nil)
        #expect(!bench.stub.paths.contains { $0.contains("48.002") })
    }

    @Test func whoGivesUpEndsTheRequest() async throws {
        let bench = try OnlineBench()
        bench.stub.next({ $0.wait() })
        bench.stub.always { $0.answer(OnlineBench.town) }
        let asking = Task { await bench.place(1) }
        await bench.stub.came(1)
        asking.cancel()
        #expect(await asking.value.failure == .cancelled)
        #expect(await bench.place(2).value != nil)
    }

    @Test func whoGaveUpBeforeAskingIsNotAskedFor() async throws {
        let bench = try OnlineBench()
        let asking = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await bench.place(1)
        }
        #expect(await asking.value.failure == .cancelled)
        #expect(bench.stub.requests.isEmpty)
    }

    @Test func sameQuestionByManyIsAskedOnce() async throws {
        let bench = try OnlineBench()
        let gate = Gate()
        bench.stub.always { connection in
            gate.wait()
            connection.answer(OnlineBench.town)
        }
        let asking = (0..<8).map { number in Task { await bench.place(48 + Double(number) * 1e-6, 11.5) } }
        await bench.stub.came(1)
        try await eventually("requests are shared") { bench.places.sharingCount == 7 }
        asking[3].cancel()
        asking[5].cancel()
        try await eventually("requests are shared") { bench.places.sharingCount >= 5 && bench.places.sharingCount <= 6 }
        gate.open()
        var answered = 0
        for task in asking { answered += await task.value.value == nil ? 0 : 1 }
        #expect(answered >= 6)
        #expect(bench.stub.requests.count == 1)
    }

    @Test func ifTheOneWhoAsksGivesUpAnotherDoes() async throws {
        let bench = try OnlineBench()
        bench.stub.next({ $0.wait() })
        bench.stub.always { $0.answer(OnlineBench.town) }
        let first = Task { await bench.place(1) }
        await bench.stub.came(1)
        let others = (0..<3).map { _ in Task { await bench.place(1) } }
        try await eventually("requests are shared") { bench.places.sharingCount == 3 }
        first.cancel()
        #expect(await first.value.failure == .cancelled)
        for other in others { #expect(await other.value.value?.first?.name == "Dachau") }
        #expect(bench.stub.requests.count <= 4)
    }

    @Test func errorIsSharedToo() async throws {
        let bench = try OnlineBench()
        let gate = Gate()
        bench.stub.always { connection in
            gate.wait()
            connection.answer("", status: "500 Oops")
        }
        let asking = (0..<3).map { _ in Task { await bench.place(1) } }
        await bench.stub.came(1)
        try await eventually("requests are shared") { bench.places.sharingCount == 2 }
        gate.open()
        for task in asking { #expect(await task.value.failure == .network("\(bench.stub.url): status 500")) }
        #expect(bench.stub.requests.count == 1)
    }
}

/// What came, in the order of coming.
private final class Answers: Sendable {
    private let list = Mutex<[Result<[Placemark], PlacesError>]>([])

    var all: [Result<[Placemark], PlacesError>] { list.withLock { $0 } }

    func add(_ answer: Result<[Placemark], PlacesError>) { list.withLock { $0.append(answer) } }
}
