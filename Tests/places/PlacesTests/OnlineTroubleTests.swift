import Foundation
@_spi(Programs) import LocationModel
import Places
import ProgramTestSupport
import Synchronization
import Testing

/// A server may do what it likes: there is an error in words, and the next question is answered.
@Suite(.timeLimit(.minutes(10)))
struct OnlineTroubleTests {
    private static let json = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

    private static func deed(_ body: String, _ type: String = "application/json", _ status: String = "200 OK")
        -> HTTPStub.Deed
    {
        { $0.answer(body, status: status, type: type) }
    }

    private static func raw(_ text: String) -> HTTPStub.Deed {
        {
            $0.write(text)
            $0.close()
        }
    }

    private static func endless(_ head: String, _ piece: String) -> HTTPStub.Deed {
        {
            $0.write(head)
            let piece = String(repeating: piece, count: 8192 / piece.utf8.count)
            while $0.write(piece) {}
        }
    }

    /// What the server does, and a word of the error.
    private static let troubles: [(name: String, deed: HTTPStub.Deed, word: String)] = [
        ("status 500", deed("{}", "text/html", "500 Oops"), "status 500"),
        ("status 403", deed("{}", "text/html", "403 No"), "status 403"),
        ("status 404 and a page", deed("<html>", "text/html", "404 No"), "not JSON"),
        ("status 503 and no word of when", deed("", "text/html", "503 Later"), "status 503"),
        ("status 204", raw("HTTP/1.1 204 No\r\n\r\n"), "status 204"),
        ("status 101", raw("HTTP/1.1 101 Up\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nxx"), "status 101"),
        ("a password wanted", deed("", "text/html", "401 Who\r\nWWW-Authenticate: Basic realm=\"x\""), "status 401"),
        ("a page", deed("<html>", "text/html"), "not JSON"),
        ("no type", raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"), "not JSON"),
        ("Latin 1 by its type", deed(OnlineBench.town, "application/json; charset=iso-8859-1"), "not JSON"),
        ("Latin 1", { $0.write(Array((json + "Content-Length: 3\r\n\r\n").utf8) + [0x22, 0xE9, 0x22]) }, "UTF-8"),
        (
            "UTF-16",
            { $0.write(Array((json + "Content-Length: 4\r\n\r\n").utf8) + [0x7B, 0, 0x7D, 0]) }, "UTF-8"
        ),
        ("nothing", deed(""), "not JSON"), ("a cut text", deed(#"{"lat":"48","lon":"11","na"#), "not JSON"),
        ("another object", deed(#"{"hello":"world"}"#), "no place"), ("a number", deed("5"), "not JSON"),
        ("null", deed("null"), "not JSON"), ("another error", deed(#"{"error":{"code":1}}"#), "no place"),
        ("positions out of range", deed(#"{"lat":"91","lon":"1e999"}"#), "no place"),
        ("a position that is none", deed(#"{"lat":"nan","lon":"inf"}"#), "no place"),
        ("depth", deed(String(repeating: "[", count: 500_000)), "not JSON"),
        ("depth in an object", deed(String(repeating: #"{"a":"#, count: 150_000)), "not JSON"),
        ("depth within a place", deed(#"{"lat":"1","a":"# + String(repeating: "[", count: 300_000)), "not JSON"),
        ("a huge body", deed(String(repeating: " ", count: 1 << 21)), "longer than"),
        ("an endless body", endless(json + "\r\n", " "), "longer than"),
        ("endless chunks", endless(json + "Transfer-Encoding: chunked\r\n\r\n", "1\r\n \r\n"), "longer than"),
        ("endless headers", endless("HTTP/1.1 200 OK\r\n", "X-A: aaaaaaaaaaaaaaaaaaaaaaaa\r\n"), "eaders"),
        (
            "an endless page elsewhere",
            endless("HTTP/1.1 302 F\r\nLocation: http://127.0.0.1:1/\r\n\r\n", " "), "longer than"
        ),
        ("a length too great", raw(json + "Content-Length: 200\r\n\r\n{}"), "http://"),
        ("a length that is none", raw(json + "Content-Length: -5\r\n\r\n{}"), "http://"),
        ("a length beyond all", raw(json + "Content-Length: 99999999999999999999999\r\n\r\n{}"), "http://"),
        ("wrong chunks", raw(json + "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n"), "http://"),
        ("an end within chunks", raw(json + "Transfer-Encoding: chunked\r\n\r\n5\r\n{"), "http://"),
        ("an end within headers", raw("HTTP/1.1 200 OK\r\nContent-Le"), "http://"),
        ("another protocol", raw("hello\r\n\r\n"), "http://"),
        ("a wild status", raw("HTTP/1.1 9999 \u{7}\r\n\r\n"), "http://"),
        ("headers that are none", raw("HTTP/1.1 200 OK\r\nfoo\r\n: x\r\nX: \u{1}é\r\n\r\n{}"), "http://"),
        (
            "bytes",
            {
                $0.write((0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }); $0.close()
            }, "http://"
        ),
        ("silence and the end", { $0.close() }, "http://"), ("a reset", { $0.reset() }, "http://"),
        (
            "a reset within the body",
            {
                $0.write(json + "Content-Length: 100\r\n\r\n{")
                $0.reset()
            }, "http://"
        ),
        (
            "what is compressed",
            {
                $0.write(
                    Array((json + "Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\n").utf8) + [0x1F, 0x8B, 8, 1])
            },
            "UTF-8"
        ),
    ]

    @Test(arguments: troubles.indices)
    func isAnErrorInWords(_ index: Int) async throws {
        let trouble = Self.troubles[index]
        let bench = try OnlineBench()
        bench.stub.next(trouble.deed)
        bench.stub.always { $0.answer(OnlineBench.town) }
        guard case .network(let words) = await bench.place(1).failure else {
            Issue.record("\(trouble.name) is no network's error")
            return
        }
        #expect(words.contains(trouble.word), "\(trouble.name)")
        #expect(words.contains(bench.stub.url), "\(trouble.name)")
        #expect(await bench.place(2).value?.first?.name == "Dachau", "after \(trouble.name)")
    }

    @Test(arguments: ["301 Moved", "302 Found", "307 Temporary", "308 Permanent"])
    func redirectionIsToldAndNotFollowed(_ status: String) async throws {
        let other = try HTTPStub()
        let bench = try OnlineBench()
        let elsewhere = other.url + "/reverse"
        bench.stub.always { $0.answer("", status: status, headers: "Location: \(elsewhere)\r\n") }
        guard case .network(let words) = await bench.place().failure else {
            Issue.record("a redirection is an error")
            return
        }
        #expect(words.contains(elsewhere))
        #expect(other.requests.isEmpty)
        #expect(bench.stub.requests.count == 1)
    }

    @Test func answerMayDripInChunksOfOneByteWithMoreHeadersBeforeAndAfter() async throws {
        let bench = try OnlineBench()
        bench.stub.always { connection in
            connection.write("HTTP/1.1 103 Early\r\nLink: a\r\n\r\n" + Self.json + "Transfer-Encoding: chunked\r\n\r\n")
            for byte in OnlineBench.town.utf8 { connection.write(Array("1\r\n".utf8) + [byte] + Array("\r\n".utf8)) }
            connection.write("0\r\nX-Sum: 1\r\n\r\n")
        }
        #expect(await bench.place().value?.first?.name == "Dachau")
    }

    @Test func nobodyListens() async throws {
        let bench = try OnlineBench()
        bench.stub.stop()
        guard case .network(let words) = await bench.place().failure else {
            Issue.record("nobody there is a network's error")
            return
        }
        #expect(words.contains("127.0.0.1"))
    }

    private static let silences: [HTTPStub.Deed] = [
        { $0.wait() },
        {
            $0.write(json + "Content-Length: 100\r\n\r\n{")
            $0.wait()
        },
    ]

    @Test(arguments: silences.indices)
    func whoDoesNotAnswerIsGivenUpAfterTheTimeOut(_ index: Int) async throws {
        let bench = try OnlineBench(step: 0)
        bench.stub.next(Self.silences[index])
        bench.stub.always { $0.answer(OnlineBench.town) }
        async let answer = bench.place(1)
        await bench.stub.came(1)
        await bench.clock.asleep(1)
        bench.clock.advance(9.9)
        bench.clock.advance(0.2)
        #expect(await answer.failure == .network("\(bench.stub.url): no answer within 10 s"))
        #expect(await bench.place(2).value != nil)
    }
}
