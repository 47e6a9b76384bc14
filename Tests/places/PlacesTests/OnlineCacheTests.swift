import Foundation
import GRDB
@_spi(Programs) import LocationModel
import Places
import ProgramTestSupport
import Testing

/// Answers are kept for as long as they hold; errors never are; and no trouble with the file is one of who asks.
@Suite(.timeLimit(.minutes(10)))
struct OnlineCacheTests {
    private let folder: TemporaryFolder
    private var path: String { folder("cache.db") }

    init() throws {
        folder = try TemporaryFolder()
    }

    private func bench(
        _ other: OnlineBench? = nil, provider: OnlineSettings.Provider = .nominatim, path: String? = nil,
        size: Int = 100,
        expiry: Double = 100_000
    ) throws -> OnlineBench {
        let bench = try OnlineBench(
            provider, stub: other?.stub, clock: other?.clock, cachePath: path ?? self.path, cacheExpiry: expiry,
            cacheSize: size)
        if other == nil { bench.stub.always { $0.answer(OnlineBench.town) } }
        return bench
    }

    @Test func answerHoldsInTheNextProcessForItsSquare() async throws {
        let first = try bench()
        let asked = await first.place(48.20004, 11.5)
        #expect(asked.value?.first?.name == "Dachau")
        let second = try bench(first)
        let kept = await second.place(48.19996, 11.5).value
        #expect(first.stub.requests.count == 1)
        #expect(kept?.first?.name == "Dachau")
        // The way to it is from where each asks.
        #expect(abs((kept?.first?.distance ?? 0) - 4.45) < 0.05)
        #expect(await second.place(48.2002, 11.5).value != nil)
        #expect(await second.place(48.2, 11.5, locale: "de").value != nil)
        #expect(first.stub.requests.count == 3)
    }

    /// An answer that comes at once would tell that somebody has asked for the place.
    @Test func usersDoNotLearnWhatOthersAskedFor() async throws {
        let bench = try bench()
        #expect(await bench.place(1, uid: 1000).value != nil)
        #expect(await bench.place(1, uid: 1001).value != nil)
        #expect(bench.stub.requests.count == 2, "the other user's is a request of its own")
        #expect(await bench.place(1, uid: 1000).value != nil)
        #expect(await bench.place(1, uid: 1001).value != nil)
        #expect(bench.stub.requests.count == 2)
    }

    @Test func edgeOfTheWorldIsOnePlace() async throws {
        let bench = try bench()
        #expect(await bench.place(10, 180).value != nil)
        #expect(await bench.place(10, -180).value != nil)
        #expect(bench.stub.requests.count == 1)
    }

    @Test func namesThatDifferInCaseAndBlanksAreOne() async throws {
        let bench = try bench()
        #expect(await bench.find("Bad  Tölz").value != nil)
        #expect(await bench.find(" bad tÖlz ").value != nil)
        #expect(bench.stub.requests.count == 1)
        #expect(await bench.find("bad tölz", limit: 3).value != nil)
        #expect(await bench.find("bad tolz").value != nil)
        #expect(bench.stub.requests.count == 3)
    }

    @Test func otherServiceHasItsOwn() async throws {
        let first = try bench()
        #expect(await first.place().value != nil)
        let photon = try bench(first, provider: .photon)
        #expect(await photon.place().failure != nil)
        #expect(first.stub.requests.count == 2)
    }

    @Test func answerExpires() async throws {
        let bench = try bench(expiry: 50)
        #expect(await bench.place().value != nil)
        bench.clock.advance(40)
        #expect(await bench.place().value != nil)
        #expect(bench.stub.requests.count == 1)
        bench.clock.advance(11)
        #expect(await bench.place().value != nil)
        #expect(bench.stub.requests.count == 2)
    }

    @Test func clockThatWasWrongKeepsNothingForEver() async throws {
        let bench = try bench()
        bench.clock.jump(1e9)
        #expect(await bench.place().value != nil)
        bench.clock.jump(-1e9)
        #expect(await bench.place().value != nil)
        #expect(bench.stub.requests.count == 2)
    }

    @Test func nothingIsKeptForADay() async throws {
        let bench = try bench()
        bench.stub.always { $0.answer(OnlineBench.nothing) }
        #expect(await bench.place().failure == .noResult)
        bench.clock.advance(86_000)
        #expect(await bench.place().failure == .noResult)
        #expect(bench.stub.requests.count == 1)
        bench.clock.advance(500)
        #expect(await bench.place().failure == .noResult)
        #expect(bench.stub.requests.count == 2)
    }

    @Test func errorIsNotKept() async throws {
        let bench = try bench()
        bench.stub.next({ $0.answer("", status: "500 Oops") }, { $0.answer("garbage") })
        bench.stub.next({
            $0.write("HTTP/1.1 200 OK\r\nContent-Le")
            $0.close()
        })
        for _ in 1...3 { #expect(await bench.place().value == nil) }
        #expect(await bench.place().value != nil)
        #expect(bench.stub.requests.count == 4)
    }

    @Test func usedLongestAgoGoesFirst() async throws {
        let bench = try bench(size: 3)
        for number in [1, 2, 3, 1, 4] { #expect(await bench.place(number).value != nil) }
        #expect(bench.stub.requests.count == 4)
        for number in [1, 3, 4] { #expect(await bench.place(number).value != nil) }
        #expect(bench.stub.requests.count == 4)
        #expect(await bench.place(2).value != nil)
        #expect(bench.stub.requests.count == 5)
    }

    @Test func onlyItsOwnerReadsIt() async throws {
        let bench = try bench()
        #expect(await bench.place().value != nil)
        for suffix in ["", "-wal", "-shm"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path + suffix)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(suffix)")
        }
    }

    @Test(arguments: ["garbage", "SQLite format 3\0 and no more", String(repeating: "\0", count: 100)])
    func garbageIsSetAside(_ garbage: String) async throws {
        try garbage.write(toFile: path, atomically: false, encoding: .utf8)
        let first = try bench()
        #expect(await first.place().value != nil)
        #expect(await first.place().value != nil)
        #expect(first.stub.requests.count == 1)
        #expect(first.log.messages == ["warning: the cache of places was damaged and is created again"])
        #expect(try String(contentsOfFile: path + ".damaged", encoding: .utf8) == garbage)
    }

    @Test func damageWithinIsSetAside() async throws {
        let first = try bench()
        for number in 1...60 { #expect(await first.place(number).value != nil) }
        try await DatabaseQueue(path: path).writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        let size = try file.seekToEnd()
        try file.seek(toOffset: 4096)
        file.write(Data(repeating: 0xA5, count: Int(size) - 4096))
        try file.close()
        let second = try bench(first)
        for number in 1...60 { #expect(await second.place(number).value != nil) }
        for number in 1...60 { #expect(await second.place(number).value != nil) }
        #expect(first.stub.requests.count == 120)
        #expect(second.log.messages == ["warning: the cache of places was damaged and is created again"])
    }

    @Test func databaseOfAnotherIsLeftAlone() async throws {
        let other = try DatabaseQueue(path: path)
        try await other.write { try $0.execute(sql: "CREATE TABLE mine (value); INSERT INTO mine VALUES (7)") }
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let bench = try bench()
        for _ in 1...3 { #expect(await bench.place().value != nil) }
        #expect(bench.stub.requests.count == 3)
        #expect(bench.log.messages == ["warning: the cache of places cannot be used"])
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

    @Test(arguments: ["nowhere/cache.db", ""])
    func whereNothingCanBeWrittenThereIsAnAnswer(_ name: String) async throws {
        let bench = try bench(path: folder(name))
        for _ in 1...3 { #expect(await bench.place().value != nil) }
        #expect(bench.stub.requests.count == 3)
        #expect(bench.log.messages == ["warning: the cache of places cannot be used"])
    }

    @Test func databaseThatIsLockedIsUsedAgainLater() async throws {
        let bench = try bench()
        #expect(await bench.place(1).value != nil)
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: path, configuration: configuration)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        #expect(await bench.place(2).value != nil)
        #expect(await bench.place(2).value != nil)
        #expect(bench.stub.requests.count == 3)
        #expect(bench.log.messages == ["warning: the cache of places cannot be used"])
        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        #expect(await bench.place(2).value != nil)
        #expect(await bench.place(2).value != nil)
        #expect(await bench.place(1).value != nil)
        #expect(bench.stub.requests.count == 4)
        #expect(bench.log.messages.count == 1)
    }

    @Test func rowsThatMeanNothingAreNoAnswers() async throws {
        let first = try bench()
        #expect(await first.place().value != nil)
        try await DatabaseQueue(path: path).write {
            try $0.execute(sql: "UPDATE answer SET placemarks = '[7' || x'FF'")
        }
        let second = try bench(first)
        #expect(await second.place().value != nil)
        try await DatabaseQueue(path: path).write {
            try $0.execute(sql: "UPDATE answer SET placemarks = x'00FF', stored = 'soon', used = 'never'")
        }
        let third = try bench(first)
        #expect(await third.place().value != nil)
        #expect(await third.place().value != nil)
        #expect(first.stub.requests.count == 3)
    }

    @Test func deviceIsNoCacheAndStaysOne() async throws {
        let bench = try bench(path: "/dev/null")
        #expect(await bench.place().value != nil)
        #expect(bench.log.messages == ["warning: the cache of places cannot be used"])
        let attributes = try FileManager.default.attributesOfItem(atPath: "/dev/null")
        #expect(attributes[.type] as? FileAttributeType == .typeCharacterSpecial)
        #expect(!FileManager.default.fileExists(atPath: "/dev/null.damaged"))
    }
}
