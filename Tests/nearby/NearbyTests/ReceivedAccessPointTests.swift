import AccessPoints
import LocationModel
import Testing

@Suite struct ReceivedAccessPointTests {
    @Test(arguments: [
        ("00:1a:2b:3c:4d:5e", 0x00_1A_2B_3C_4D_5E as UInt64?), ("FF:FF:FF:FF:FF:FF", 0xFF_FF_FF_FF_FF_FF),
        ("00:1a:2b:3c:4d", nil), ("00:1a:2b:3c:4d:5e:6f", nil), ("00:1a:2b:3c:4d:5", nil), ("00:1a:2b:3c:4d:5g", nil),
        ("00-1a-2b-3c-4d-5e", nil), ("+0:1a:2b:3c:4d:5e", nil), ("", nil),
    ])
    func addressIsSixBytes(text: String, value: UInt64?) {
        #expect(HardwareAddress(text)?.value == value)
        #expect(HardwareAddress(text)?.bytes.count == (value == nil ? nil : 6))
    }

    /// Groups, addresses that programs choose, and none at all name no access point for good.
    @Test(arguments: [
        ("00:1a:2b:3c:4d:5e", true), ("01:00:5e:00:00:01", false), ("02:00:00:00:00:01", false),
        ("00:00:00:00:00:00", false),
    ])
    func onlyPermanentAddressesAreUsed(text: String, isPermanent: Bool) throws {
        let address = try #require(HardwareAddress(text))
        #expect(address.isPermanent == isPermanent)
        let all = [ReceivedAccessPoint(address: address, signal: -60, network: "home")]
        #expect(observation(all).usable.count == (isPermanent ? 1 : 0))
    }

    @Test(arguments: [
        ("home" as String?, true), ("home_nomap", false), ("_optout_home", false), ("home_nomaps", true), ("", false),
        (nil, false),
        ("\0\0\0", false),
    ])
    func ownersWishIsRespected(network: String?, isUsed: Bool) {
        #expect(observation([received(1, network: network)]).usable.count == (isUsed ? 1 : 0))
    }

    @Test(arguments: [(-60, true), (0, false), (-111, false), (Double.nan, false), (-Double.infinity, false)])
    func impossibleSignalsAreNotUsed(signal: Double, isUsed: Bool) {
        #expect(observation([received(1, signal: signal)]).usable.count == (isUsed ? 1 : 0))
    }

    @Test func eachIsUsedOnceTheStrongestFirst() {
        let usable = observation([received(1, signal: -80), received(2, signal: -50), received(1, signal: -60)]).usable
        #expect(usable.map(\.signal) == [-50, -60])
    }
}
