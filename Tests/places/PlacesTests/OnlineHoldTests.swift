import Foundation
@_spi(Programs) import LocationModel
import Places
import ProgramTestSupport
import Testing

/// A service that wants no requests for a while gets none, not even by the next process.
@Suite(.timeLimit(.minutes(10)))
struct OnlineHoldTests {
    private func refuse(_ status: String, _ header: String) -> HTTPStub.Deed {
        { $0.answer("", status: status, type: "text/html", headers: header) }
    }

    @Test(arguments: ["429 Many", "503 Later"])
    func shortTimeIsWaitedFor(_ status: String) async throws {
        let bench = try OnlineBench(step: 0)
        bench.stub.next(refuse(status, "Retry-After: 8\r\n"))
        bench.stub.always { $0.answer(OnlineBench.town) }
        #expect(await bench.place(1).failure != nil)
        async let second = bench.place(2)
        await bench.clock.asleep(1)
        bench.clock.advance(7.9)
        #expect(bench.stub.requests.count == 1)
        bench.clock.advance(0.2)
        #expect(await second.value != nil)
    }

    @Test func longTimeIsAnErrorAtOnceUntilItIsOver() async throws {
        let bench = try OnlineBench(step: 0)
        bench.stub.next(refuse("429 Many", "Retry-After: 300\r\n"))
        bench.stub.always { $0.answer(OnlineBench.town) }
        #expect(await bench.place(1).failure == .network("\(bench.stub.url): too many requests (status 429)"))
        bench.clock.advance(100)
        #expect(await bench.place(2).failure == .network("the service accepts no requests for another 200 s"))
        #expect(bench.log.messages == ["warning: the provider of places accepts no requests for some time"])
        bench.clock.advance(200.1)
        #expect(await bench.place(3).value != nil)
        #expect(bench.stub.requests.count == 2)
    }

    @Test func dateIsUnderstood() async throws {
        let bench = try OnlineBench(step: 0)
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "UTC")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        bench.stub.next(refuse("503 Later", "Retry-After: \(formatter.string(from: Date() + 7200))\r\n"))
        #expect(await bench.place(1).failure != nil)
        bench.clock.advance(6000)
        guard case .network(let words) = await bench.place(2).failure else {
            Issue.record("it is asked again too early")
            return
        }
        #expect(words.contains("no request"))
        #expect(bench.stub.requests.count == 1)
    }

    @Test(arguments: ["", "Retry-After: soon\r\n", "Retry-After: -5\r\n", "Retry-After: 0\r\n"])
    func tooManyWithoutATimeIsAMinute(_ header: String) async throws {
        let bench = try OnlineBench(step: 0)
        bench.stub.next(refuse("429 Many", header))
        bench.stub.always { $0.answer(OnlineBench.town) }
        #expect(await bench.place(1).failure != nil)
        bench.clock.advance(30)
        #expect(await bench.place(2).failure == .network("the service accepts no requests for another 30 s"))
        bench.clock.advance(30.1)
        #expect(await bench.place(3).value != nil)
    }

    @Test func aDayIsTheLongest() async throws {
        let bench = try OnlineBench(step: 0)
        bench.stub.next(refuse("429 Many", "Retry-After: 99999999999\r\n"))
        bench.stub.always { $0.answer(OnlineBench.town) }
        #expect(await bench.place(1).failure != nil)
        bench.clock.advance(86_401)
        #expect(await bench.place(2).value != nil)
    }

    @Test func nextProcessKeepsToIt() async throws {
        let folder = try TemporaryFolder()
        let first = try OnlineBench(step: 0, cachePath: folder("cache.db"))
        first.stub.next(refuse("429 Many", "Retry-After: 300\r\n"))
        first.stub.always { $0.answer(OnlineBench.town) }
        #expect(await first.place(1).failure != nil)
        first.clock.advance(100)
        let second = try OnlineBench(stub: first.stub, clock: first.clock, cachePath: folder("cache.db"))
        #expect(await second.place(2).failure == .network("the service accepts no requests for another 200 s"))
        #expect(first.stub.requests.count == 1)
        first.clock.advance(201)
        #expect(await second.place(3).value != nil)
    }
}
