import GPSDProtocol
@_spi(Programs) import LocationModel
import NIOCore
import Testing

@testable import Bridge

/// The parts of the bridge that have no connections.
struct PendingRequestsTests {
    private func pieces(_ received: String...) -> [String] {
        var pending = PendingRequests()
        for text in received { pending.append(ByteBuffer(string: text)) }
        var pieces: [String] = []
        while let piece = pending.next() { pieces.append(String(buffer: piece)) }
        #expect(pending.isEmpty && pending.count == 0)
        return pieces
    }

    @Test func eachPieceHasOneRequest() {
        #expect(pieces("?VERSION;?DEVICES;\n?POLL\n") == ["?VERSION;", "?DEVICES;", "\n", "?POLL\n"])
        #expect(pieces("?WAT", #"CH={"json""#, ":true};?PO") == [#"?WATCH={"json":true};"#, "?PO"])
        #expect(pieces() == [])
    }

    /// A session answers the pieces as it answers them together.
    @Test(arguments: [
        #"?DEVICE={"path":"a;b\";c"};?VERSION;"#, "?VERSION;?DEVICES;\r\n?DEVICES\n", "x\ny\n;;\n", "?WATCH={\"a\"",
        "?POLL;?POLL;?POLL;\n",
    ]) func piecesAreAnsweredAsTheWhole(text: String) {
        func answers(_ pieces: [String]) -> [UInt8] {
            var session = GPSDSession()
            return pieces.reduce(into: []) { answers, piece in
                answers += Array(piece.utf8).withUnsafeBytes { session.receive($0, at: .init(seconds: 1)) }
            }
        }
        #expect(answers(pieces(text)) == answers([text]))
    }

    @Test func demandIsCountedAsClientsChange() {
        var count = DemandCount()
        let sentences = DemandCount.Share(demand: .locationsAndSatellites, wantsSentences: true)
        let all = DemandCount.Share(demand: .locationsAndSatellites, wantsSentences: false)
        #expect(count.demand == .nothing && !count.wantsSentences)
        count.change(from: .nothing, to: sentences)
        #expect(count.demand == .locationsAndSatellites && count.wantsSentences)
        count.change(from: .nothing, to: all)
        count.change(from: .nothing, to: all)
        #expect(count.demand == .locationsAndSatellites)
        count.change(from: all, to: .nothing)
        count.change(from: sentences, to: .nothing)
        #expect(count.demand == .locationsAndSatellites && !count.wantsSentences)
        count.change(from: all, to: .nothing)
        #expect(count.demand == .nothing)
    }
}
