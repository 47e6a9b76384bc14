import AccessPoints
import CNetlink
import LocationModel
import ProgramTestSupport
import Testing

@testable import locationd_nearby

@Suite struct NetlinkMessageTests {
    private let attributes = [
        NetlinkAttribute(2, text: "nl80211"), NetlinkAttribute(3, UInt32(7)), NetlinkAttribute(4, [1, 2, 3]),
    ]

    @Test func messageIsReadAsItIsWritten() {
        let message = NetlinkMessage(family: 16, command: 3, flags: 5, attributes)
        let bytes = message.bytes
        #expect(bytes.count == 16 + 4 + 12 + 8 + 8 && bytes.count % 4 == 0)
        let read = NetlinkMessage.list(in: bytes + bytes)
        #expect(read == [message, message] && read.first?.command == 3 && read.first?.attributes == attributes)
        #expect(read.first?.attributes[type: 2]?.text == "nl80211")
        #expect(
            read.first?.attributes[type: 3]?.number() == UInt32(7)
                && read.first?.attributes[type: 3]?.number() == nil as UInt16?)
    }

    /// The two highest bits of a type say how its value is to be read.
    @Test func typesAreReadWithoutTheirMarks() {
        let nested = NetlinkAttribute(
            0x8000 | 9, NetlinkMessage(family: 0, command: 0, flags: 0, attributes).payload.dropFirst(4).map(\.self))
        let read = NetlinkMessage.list(in: NetlinkMessage(family: 16, command: 1, flags: 0, [nested]).bytes).first?
            .attributes
        #expect(read?[type: 9]?.nested == attributes)
    }

    /// Lengths that lie, and messages that end anywhere, are read up to there.
    @Test func anyBytesAreRead() {
        var random = SeededGenerator(seed: 1)
        let bytes = NetlinkMessage(family: 16, command: 3, flags: 5, attributes).bytes
        for length in 0...bytes.count {
            #expect(NetlinkMessage.list(in: bytes.prefix(length)).count == (length == bytes.count ? 1 : 0))
        }
        var attributeCount = 0
        for _ in 0..<10_000 {
            var changed = bytes
            for _ in 0..<3 {
                changed[Int.random(in: 0..<changed.count, using: &random)] = .random(in: .min ... .max, using: &random)
            }
            for message in NetlinkMessage.list(in: changed) {
                attributeCount += message.attributes.flatMap(\.nested).count + message.attributes.count
            }
        }
        #expect(attributeCount > 10_000)
    }

    private func entry(_ more: [NetlinkAttribute]) -> [NetlinkAttribute] {
        [
            NetlinkAttribute(UInt16(NL80211_BSS_BSSID.rawValue), [0, 0x1B, 0x63, 0, 1, 0]),
            NetlinkAttribute(UInt16(NL80211_BSS_SIGNAL_MBM.rawValue), Int32(-6150)),
        ] + more
    }

    private let now = BootInstant(seconds: 100)

    @Test func entryIsAReception() throws {
        let more = [
            NetlinkAttribute(UInt16(NL80211_BSS_LAST_SEEN_BOOTTIME.rawValue), UInt64(98_500_000_000)),
            NetlinkAttribute(
                UInt16(NL80211_BSS_INFORMATION_ELEMENTS.rawValue), [1, 1, 0x82, 0, 4] + Array("net1".utf8) + [3, 1, 6]),
        ]
        let (received, time) = try #require(WirelessDevices.reception(entry(more), at: now))
        #expect(
            received
                == ReceivedAccessPoint(
                    address: HardwareAddress(value: 0x00_1B_63_00_01_00), signal: -61.5, network: "net1"))
        #expect(time == BootInstant(seconds: 98.5))
    }

    @Test func ageServesWithoutATime() throws {
        let age = NetlinkAttribute(UInt16(NL80211_BSS_SEEN_MS_AGO.rawValue), UInt32(2500))
        #expect(try #require(WirelessDevices.reception(entry([age]), at: now)).1 == BootInstant(seconds: 97.5))
        // A time that is not yet is now.
        let future = NetlinkAttribute(UInt16(NL80211_BSS_LAST_SEEN_BOOTTIME.rawValue), UInt64(500_000_000_000))
        #expect(try #require(WirelessDevices.reception(entry([future]), at: now)).1 == now)
    }

    /// Elements that end too early have no name, and one of a percentage no power.
    @Test func damagedEntriesAreNoReceptions() throws {
        let elements = NetlinkAttribute(UInt16(NL80211_BSS_INFORMATION_ELEMENTS.rawValue), [0, 200, 65])
        #expect(try #require(WirelessDevices.reception(entry([elements]), at: now)).0.network == nil)
        #expect(WirelessDevices.reception([entry([])[0]], at: now) == nil)
        #expect(WirelessDevices.reception([entry([])[1]], at: now) == nil)
    }
}
