import Testing
import Varlink

@Suite struct MessageBufferTests {
    private func drained(_ buffer: inout MessageBuffer) -> [String] {
        var messages: [String] = []
        while let message = buffer.next() { messages.append(String(decoding: message, as: UTF8.self)) }
        return messages
    }

    @Test func messageMayBeSplitAnywhere() {
        let bytes = Array("first\0second\0\0third\0".utf8)
        for first in 0...bytes.count {
            for second in first...bytes.count {
                var buffer = MessageBuffer(limit: 100)
                var messages: [String] = []
                for part in [bytes[..<first], bytes[first..<second], bytes[second...]] {
                    buffer.append(part)
                    messages += drained(&buffer)
                }
                #expect(messages == ["first", "second", "", "third"])
                #expect(buffer.isEmpty)
            }
        }
    }

    @Test func severalMessagesInOneAppendComeInOrder() {
        var buffer = MessageBuffer(limit: 100)
        buffer.append(Array("a\0b\0c\0d".utf8))
        #expect(drained(&buffer) == ["a", "b", "c"])
        #expect(!buffer.isEmpty)
        buffer.append(Array("e\0".utf8))
        #expect(drained(&buffer) == ["de"])
        #expect(buffer.isEmpty)
    }

    @Test func nothingComesWithoutNul() {
        var buffer = MessageBuffer(limit: 100)
        #expect(buffer.next() == nil)
        buffer.append(Array("abc".utf8))
        #expect(buffer.next() == nil)
        #expect(buffer.next() == nil)
        buffer.append([])
        #expect(buffer.next() == nil)
        #expect(!buffer.isEmpty)
    }

    @Test func nulsAloneAreEmptyMessages() {
        var buffer = MessageBuffer(limit: 10)
        buffer.append([0, 0, 0])
        #expect(drained(&buffer) == ["", "", ""])
    }

    @Test func limitCountsTheMessageWithoutItsNul() {
        var buffer = MessageBuffer(limit: 8)
        buffer.append(Array("12345678\0".utf8))
        #expect(!buffer.isOverfull)
        #expect(buffer.next()?.count == 8)
        buffer.append(Array("12345678".utf8))
        #expect(!buffer.isOverfull)
        buffer.append(Array("90".utf8))
        #expect(buffer.isOverfull)
    }

    @Test func takenBytesDoNotCount() {
        var buffer = MessageBuffer(limit: 8)
        for round in 0..<1000 {
            buffer.append(Array("1234\0".utf8))
            #expect(!buffer.isOverfull, "\(round)")
            #expect(buffer.next()?.count == 4)
        }
    }

    @Test func oneMessageInManyPiecesIsFoundWhole() {
        var buffer = MessageBuffer(limit: 65_536)
        for index in 0..<60_000 {
            buffer.append(CollectionOfOne(UInt8(1 + index % 255)))
            if buffer.next() != nil { Issue.record("there was no NUL") }
        }
        #expect(!buffer.isOverfull)
        buffer.append([0])
        #expect(buffer.next() == (0..<60_000).map { UInt8(1 + $0 % 255) })
        #expect(buffer.isEmpty)
    }

    @Test func manyMessagesWithAnUnfinishedOneBehind() {
        var buffer = MessageBuffer(limit: 65_536)
        for round in 0..<200 {
            buffer.append(Array("head \(round)".utf8))
            #expect(buffer.next() == nil)
            buffer.append(Array(" tail\0x\0y\0".utf8))
            #expect(drained(&buffer) == ["head \(round) tail", "x", "y"])
        }
    }
}
