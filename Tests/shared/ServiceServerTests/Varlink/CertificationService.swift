import ServiceServer
import Synchronization
import Varlink

/// `org.varlink.certification`: every method wants back what the one before gave, exactly.
///
/// It belongs to the event loop of its listener, like every owner of connections.
final class CertificationService: ConnectionOwner {
    private let description = ServiceDescription(
        vendor: "locationd", product: "certification", version: "1", url: "",
        interfaces: [
            InterfaceDescription(name: "org.varlink.certification", text: "interface org.varlink.certification\n")
        ])
    private var nextStep = 0
    /// True once the last method was called and everything before it was right.
    private let isCertified: @Sendable () -> Void

    init(isCertified: @escaping @Sendable () -> Void) {
        self.isCertified = isCertified
    }

    func connection(_ connection: Connection, received call: Call) {
        do throws(ErrorReply) {
            if call.interface == ServiceDescription.serviceInterface.name[...] {
                return respond(connection, try description.answer(call))
            }
            guard call.interface == "org.varlink.certification" else { throw .interfaceNotFound(call.interface) }
            try serve(call, on: connection)
        } catch {
            connection.fail(error)
        }
    }

    private func respond(_ connection: Connection, _ answer: any Encodable) {
        func reply(_ answer: some Encodable) { connection.reply(answer) }
        reply(answer)
    }

    func connection(_ connection: Connection, violated error: ErrorReply) {}
    func connectionFellBehind(_ connection: Connection) {}
    func connectionDrained(_ connection: Connection) {}
    func connectionClosed(_ connection: Connection) {}

    private func serve(_ call: Call, on connection: Connection) throws(ErrorReply) {
        let parameters = try call.parameters(as: JSONValue.self)
        let names = ["Start"] + (1...11).map { $0 < 10 ? "Test0\($0)" : "Test\($0)" } + ["End"]
        guard let step = names.firstIndex(of: String(call.member)) else { throw .methodNotFound(call.method) }
        guard step == nextStep else { throw Self.wrong(wants: .text(names[nextStep]), got: .text(names[step])) }
        nextStep += 1
        guard step > 0 else { return respond(connection, JSONValue.object(["client_id": Self.clientID])) }

        guard parameters["client_id"] == Self.clientID else {
            throw ErrorReply("org.varlink.certification.ClientIdError")
        }
        var expected = Self.answers[step - 1]
        expected["client_id"] = Self.clientID
        guard parameters == .object(expected) else { throw Self.wrong(wants: .object(expected), got: parameters) }

        switch step {
        case 10:
            guard call.more else { throw .expectedMore }
            for number in 1...10 {
                let reply = JSONValue.object(["string": .text("Reply number \(number)")])
                connection.reply(reply, continues: number < 10)
            }
        case 11:
            guard call.oneway else { throw Self.wrong(wants: .text("oneway"), got: .text("a call")) }
            connection.reply(NoParameters())
        case 12:
            isCertified()
            connection.reply(JSONValue.object(["all_ok": .bool(true)]))
        default: connection.reply(JSONValue.object(Self.answers[step]))
        }
    }

    private static func wrong(wants: JSONValue, got: JSONValue) -> ErrorReply {
        ErrorReply(
            "org.varlink.certification.CertificationError", parameters: JSONValue.object(["wants": wants, "got": got]))
    }

    private static let clientID = JSONValue.text("client-4711")

    /// What the method at each place answers, which is what the next one wants.
    private static let answers: [[String: JSONValue]] = {
        let basics: [String: JSONValue] = [
            "bool": .bool(false), "int": .integer(-2_147_483_649), "float": .number(3.141592653589793),
            "string": .text("a \"lot\" of strings: \u{1F6F0} / ü \t"),
        ]
        let mytype: JSONValue = .object([
            "object": .object(["method": .text("org.varlink.certification.Test09"), "more": .bool(true)]),
            "enum": .text("two"),
            "struct": .object(["first": .integer(1), "second": .text("2")]),
            "array": .list([.text("one"), .text("two"), .text("three")]),
            "dictionary": .object(["foo": .text("Foo"), "bar": .text("Bar")]),
            "stringset": .object(["one": .object([:]), "two": .object([:])]),
            "nullable_array_struct": .list([.object(["first": .integer(10), "second": .text("20")])]),
            "interface": .object([
                "foo": .list([.object(["foo": .text("foo"), "bar": .text("bar")])]),
                "anon": .object(["foo": .bool(true), "bar": .bool(false)]),
            ]),
        ])
        let replies = (1...10).map { JSONValue.text("Reply number \($0)") }
        return [
            [:],
            ["bool": .bool(true)], ["int": .integer(1)], ["float": .number(1.5)], ["string": .text("ping")],
            basics, ["struct": .object(basics)],
            ["map": .object(["foo": .text("Foo"), "bar": .text("Bar")])],
            ["set": .object(["one": .object([:]), "two": .object([:]), "three": .object([:])])],
            ["mytype": mytype], ["last_more_replies": .list(replies)], [:],
        ]
    }()
}
