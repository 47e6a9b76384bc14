import Testing

@testable import Delivery

/// Addresses and logins as administrators write them.
@Suite struct BrokerAddressTests {
    @Test(
        arguments: [
            ("mqtt://broker.example", "mqtt://broker.example:1883"),
            ("mqtts://broker.example", "mqtts://broker.example:8883"),
            ("MQTTS://10.0.0.1:443", "mqtts://10.0.0.1:443"), ("mqtt://[::1]:1884", "mqtt://[::1]:1884"),
            ("mqtt://[fe80::1%eth0]", "mqtt://[fe80::1%eth0]:1883"),
        ])
    func addressIsRead(text: String, written: String) {
        #expect(BrokerAddress(text)?.description == written)
    }

    @Test(
        arguments: [
            "", "mqtt://", "mqtt:", "broker", "http://broker", "mqtt://broker:0", "mqtt://broker:65536",
            "mqtt://broker:+1", "mqtt://broker:", "mqtt://anna:secret@broker", "mqtt://broker/path", "mqtt://::1",
            "mqtt://[::1", "mqtt://[broker]", "mqtt://a b", "mqtt://a\u{0}b", "mqtt://[::1]x",
        ])
    func othersAreRefused(text: String) {
        #expect(BrokerAddress(text) == nil)
    }

    @Test func severalAddressesAreTakenInTurn() throws {
        let addresses = try #require(BrokerAddresses("mqtt://a, mqtt://b:2,mqtt://[::1]"))
        #expect(addresses.description == "mqtt://a:1883,mqtt://b:2,mqtt://[::1]:1883" && addresses.hosts == "a, b, ::1")
        #expect((0..<5).map { addresses.address(ofAttempt: $0).host } == ["a", "b", "::1", "a", "b"])
        #expect(BrokerAddresses("mqtts://a,mqtts://b")?.count == 2)
    }

    @Test(arguments: [
        "", ",", "mqtt://a,", ",mqtt://a", "mqtt://a,,mqtt://b", "mqtt://a;mqtt://b", "mqtt://a,mqtts://b",
    ])
    func otherListsAreRefused(text: String) {
        #expect(BrokerAddresses(text) == nil)
    }

    @Test func loginHasTwoLines() {
        #expect(BrokerLogin("anna\nse cret\n")?.user == "anna")
        #expect(BrokerLogin("anna\nse cret\n")?.password == "se cret")
        #expect(BrokerLogin("anna")?.password == nil)
        #expect(BrokerLogin("anna\n\n")?.password?.isEmpty == true)
        for text in ["", "\n", "\nsecret", "a\nb\nc", "a\nb\u{0}c"] { #expect(BrokerLogin(text) == nil) }
    }
}
