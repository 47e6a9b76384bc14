import Foundation
import Testing
import Varlink

@Suite struct MessageEncoderTests {
    private struct Values: Encodable, Sendable {
        var zebra = 1.5
        var apple: String? = "a/b \"c\"\n\u{0}é"
        var absent: Int?
        var list = [1, 2]
    }

    private struct Number: Encodable, Sendable { var value: Double }

    private let encoder = MessageEncoder()

    @Test func replyIsSortedJSONEndedByNul() throws {
        let bytes = try encoder.reply(Values())
        #expect(
            bytes == Array(#"{"parameters":{"apple":"a/b \"c\"\n\u0000é","list":[1,2],"zebra":1.5}}"#.utf8) + [0])
    }

    @Test func continuesIsSaidOnlyWhenTrue() throws {
        #expect(try text(encoder.reply(NoParameters())) == #"{"parameters":{}}"#)
        #expect(try text(encoder.reply(NoParameters(), continues: false)) == #"{"parameters":{}}"#)
        #expect(try text(encoder.reply(NoParameters(), continues: true)) == #"{"continues":true,"parameters":{}}"#)
    }

    @Test func callSaysOnlyTheFlagsItHas() throws {
        #expect(try text(encoder.call("a.b.C", NoParameters())) == #"{"method":"a.b.C","parameters":{}}"#)
        #expect(
            try text(encoder.call("a.b.C", Number(value: 2), more: true))
                == #"{"method":"a.b.C","more":true,"parameters":{"value":2}}"#)
        #expect(
            try text(encoder.call("a.b.C", NoParameters(), oneway: true))
                == #"{"method":"a.b.C","oneway":true,"parameters":{}}"#)
    }

    @Test func whatIsEncodedAsCallIsReadAsCall() throws {
        let bytes = try encoder.call("a.b.C", Number(value: 0.1), more: true)
        let call = try Call(bytes.dropLast())
        #expect(call.method == "a.b.C")
        #expect(call.more)
        struct Read: Codable { var value: Double }
        #expect(try call.parameters(as: Read.self).value == 0.1)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func numbersThatAreNoneThrow(_ value: Double) {
        #expect(throws: EncodingError.self) { try encoder.reply(Number(value: value)) }
        #expect(throws: EncodingError.self) { try encoder.call("a.b.C", Number(value: value)) }
    }

    @Test(arguments: [
        0.0, -0.5, 1e-9, 52.123456789, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 9_007_199_254_740_994,
    ])
    func numbersSurviveExactly(_ value: Double) throws {
        struct Read: Decodable { var value: Double }
        let reply = try Reply(encoder.reply(Number(value: value)).dropLast())
        #expect(try reply.parameters(as: Read.self).value == value)
    }

    @Test func errorCarriesNameAndParameters() {
        let service = "org.varlink.service"
        #expect(text(encoder.error(.permissionDenied)) == #"{"error":"\#(service).PermissionDenied","parameters":{}}"#)
        #expect(text(encoder.error(.expectedMore)) == #"{"error":"\#(service).ExpectedMore","parameters":{}}"#)
        #expect(
            text(encoder.error(.methodNotImplemented("a.b.C")))
                == #"{"error":"org.varlink.service.MethodNotImplemented","parameters":{"method":"a.b.C"}}"#)
        #expect(
            text(encoder.error(ErrorReply("a.b.Odd", parameters: Number(value: 7))))
                == #"{"error":"a.b.Odd","parameters":{"value":7}}"#)
    }

    @Test func errorThatCannotBeEncodedKeepsItsName() {
        let error = ErrorReply("a.b.Odd", parameters: Number(value: .nan))
        #expect(text(encoder.error(error)) == #"{"error":"a.b.Odd","parameters":{}}"#)
    }
}
