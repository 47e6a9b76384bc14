import Synchronization
import Varlink
import VarlinkServer

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
        let parameters = try call.parameters(as: JSON.self)
        let names = ["Start"] + (1...11).map { $0 < 10 ? "Test0\($0)" : "Test\($0)" } + ["End"]
        guard let step = names.firstIndex(of: String(call.member)) else { throw .methodNotFound(call.method) }
        guard step == nextStep else { throw Self.wrong(wants: .string(names[nextStep]), got: .string(names[step])) }
        nextStep += 1
        guard step > 0 else { return respond(connection, JSON.object(["client_id": Self.clientID])) }

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
                let reply = JSON.object(["string": .string("Reply number \(number)")])
                connection.reply(reply, continues: number < 10)
            }
        case 11:
            guard call.oneway else { throw Self.wrong(wants: .string("oneway"), got: .string("a call")) }
            connection.reply(NoParameters())
        case 12:
            isCertified()
            connection.reply(JSON.object(["all_ok": .bool(true)]))
        default: connection.reply(JSON.object(Self.answers[step]))
        }
    }

    private static func wrong(wants: JSON, got: JSON) -> ErrorReply {
        ErrorReply(
            "org.varlink.certification.CertificationError", parameters: JSON.object(["wants": wants, "got": got]))
    }

    private static let clientID = JSON.string("client-4711")

    /// What the method at each place answers, which is what the next one wants.
    private static let answers: [[String: JSON]] = {
        let basics: [String: JSON] = [
            "bool": .bool(false), "int": .int(-2_147_483_649), "float": .double(3.141592653589793),
            "string": .string("a \"lot\" of strings: \u{1F6F0} / ü \t"),
        ]
        let mytype: JSON = .object([
            "object": .object(["method": .string("org.varlink.certification.Test09"), "more": .bool(true)]),
            "enum": .string("two"),
            "struct": .object(["first": .int(1), "second": .string("2")]),
            "array": .array([.string("one"), .string("two"), .string("three")]),
            "dictionary": .object(["foo": .string("Foo"), "bar": .string("Bar")]),
            "stringset": .object(["one": .object([:]), "two": .object([:])]),
            "nullable_array_struct": .array([.object(["first": .int(10), "second": .string("20")])]),
            "interface": .object([
                "foo": .array([.object(["foo": .string("foo"), "bar": .string("bar")])]),
                "anon": .object(["foo": .bool(true), "bar": .bool(false)]),
            ]),
        ])
        let replies = (1...10).map { JSON.string("Reply number \($0)") }
        return [
            [:],
            ["bool": .bool(true)], ["int": .int(1)], ["float": .double(1.5)], ["string": .string("ping")],
            basics, ["struct": .object(basics)],
            ["map": .object(["foo": .string("Foo"), "bar": .string("Bar")])],
            ["set": .object(["one": .object([:]), "two": .object([:]), "three": .object([:])])],
            ["mytype": mytype], ["last_more_replies": .array(replies)], [:],
        ]
    }()
}
