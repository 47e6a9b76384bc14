import DBus
import Glibc
import ProgramTestSupport
import Testing

/// What is read of the messages of others on the bus.
@Suite(.timeLimit(.minutes(10))) struct BusReadingTests {
    /// A variant of a variant may be nested deeply, and a list be long.
    @Test func onlyVariantsOfSimpleTypesAreRead() throws {
        let bus = try PrivateBus(.session)
        let connection = try BusConnection(address: bus.address, reading: ["v"])
        let name = "org.example.reader"
        let arguments: [BusValue] = [.string(name), .uint32(4)]
        let (service, path) = ("org.freedesktop.DBus", "/org/freedesktop/DBus")
        let request = try connection.call(service, path, service, "RequestName", arguments)
        func next<Value>(_ what: String, _ value: (BusMessage) -> Value?) throws -> Value {
            try waitUntil(what) {
                var entry = pollfd(fd: connection.descriptor, events: Int16(connection.events), revents: 0)
                poll(&entry, 1, 100)
                return try connection.receive().flatMap(value)
            }
        }
        _ = try next("it has its name") { message in
            if case .reply(request) = message.content { true } else { nil }
        }
        for (words, value) in [
            (["s", "hi"], BusValue.string("hi")), (["v", "s", "hi"], .other(signature: "v")),
            (["v", "v", "u", "7"], .other(signature: "v")), (["as", "1", "hi"], .other(signature: "as")),
            (["u", "7"], .uint32(7)),
        ] {
            let signal = try LoggedProcess(
                "busctl",
                ["--address=" + bus.address, "--destination=" + name, "emit", "/", "org.example.reader", "Say", "v"]
                    + words)
            #expect(try signal.wait() == 0, "\(signal.errors)")
            let read = try next("the signal comes") { message in
                if case .signal(_, _, "Say") = message.content { message.arguments } else { nil }
            }
            #expect(read == [.variant(value)])
        }
    }
}
