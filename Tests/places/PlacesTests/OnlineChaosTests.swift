@_spi(Programs) import LocationModel
import Places
import ProgramTestSupport
import Synchronization
import Testing

/// Whatever a server says, and whoever gives up when, everybody has one answer or one error, and all goes on.
@Suite(.timeLimit(.minutes(10)))
struct OnlineChaosTests {
    private static let bodies: [(OnlineSettings.Provider, String)] = [
        (.nominatim, OnlineBench.town), (.nominatim, "[\(OnlineBench.town),\(OnlineBench.town)]"),
        (
            .photon,
            #"{"features":[{"geometry":{"coordinates":[11.5,48.25]},"properties":{"name":"A","type":"city"}}]}"#
        ),
    ]

    @Test(arguments: bodies.indices)
    func mutilatedAnswersAreNeverATrap(_ index: Int) async throws {
        let (provider, body) = Self.bodies[index]
        let bench = try OnlineBench(provider)
        let random = Mutex(SeededGenerator(seed: UInt64(index)))
        bench.stub.always { connection in
            let mutilated = random.withLock { Self.mutilated(Array(body.utf8), &$0) }
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(mutilated.count)\r\n\r\n"
            connection.write(Array(head.utf8) + mutilated)
        }
        var outcomes: [String: Int] = [:]
        for number in 1...300 {
            switch await bench.place(number) {
            case .success(let placemarks):
                #expect(!placemarks.isEmpty)
                outcomes["places", default: 0] += 1
            case .failure(.network): outcomes["errors", default: 0] += 1
            case .failure(let error): #expect(error == .noResult)
            }
        }
        #expect((outcomes["places"] ?? 0) > 0)
        #expect((outcomes["errors"] ?? 0) > 0)
    }

    private static func mutilated(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let place = Int.random(in: 0..<max(1, bytes.count), using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes.removeLast(bytes.count - place)
            case 1 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 2: bytes.insert(contentsOf: Array("{[]},:\"\\u00-1e9999null".utf8).shuffled(using: &random), at: place)
            default: bytes.insert(contentsOf: bytes.suffix(from: place), at: place)
            }
        }
        return bytes
    }

    @Test func whoeverGivesUpHasOneErrorAndHoldsUpNobody() async throws {
        let folder = try TemporaryFolder()
        let bench = try OnlineBench(rate: 100, cachePath: folder("cache.db"), cacheSize: 5, waitingLimit: 20)
        let random = Mutex(SeededGenerator(seed: 7))
        bench.stub.always { connection in
            switch random.withLock({ Int.random(in: 0..<6, using: &$0) }) {
            case 0: connection.close()
            case 1: connection.answer(OnlineBench.nothing)
            case 2: connection.answer("garbage")
            default: connection.answer(OnlineBench.town)
            }
        }
        for round in 0..<20 {
            let asking = (0..<40).map { number in Task { await bench.place(round * 3 + number % 8) } }
            for task in asking where random.withLock({ Bool.random(using: &$0) }) {
                task.cancel()
                await Task.yield()
            }
            for task in asking {
                switch await task.value {
                case .success(let placemarks): #expect(placemarks.first?.name == "Dachau")
                case .failure(let error): #expect(error != .partialResult([]))
                }
            }
            #expect(bench.places.waitingCount == 0)
            #expect(bench.places.sharingCount == 0)
        }
        bench.stub.always { $0.answer(OnlineBench.town) }
        #expect(await bench.place(999).value?.first?.name == "Dachau")
    }
}
