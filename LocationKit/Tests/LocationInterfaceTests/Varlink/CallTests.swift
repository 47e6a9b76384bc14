import Testing
import Varlink

@Suite struct CallTests {
    private struct Place: Codable, Equatable {
        var latitude: Double
        var tags: [Tag]?
    }

    private struct Tag: Codable, Equatable { var name: String }

    private struct Wanted: Codable, Equatable {
        var place: Place?
        var timeout: Double?
        var count: Int?
    }

    private func wanted(_ parameters: String) throws(ErrorReply) -> Wanted {
        try call(#"{"method":"a.b.C","parameters":"# + parameters + "}").parameters()
    }

    @Test func nameIsTakenApartAtItsLastDot() throws {
        let call = try call(#"{"method":"org.locationd.location.GetStatus"}"#)
        #expect(call.method == "org.locationd.location.GetStatus")
        #expect(call.interface == "org.locationd.location")
        #expect(call.member == "GetStatus")
        let bare = try LocationInterfaceTests.call(#"{"method":"GetStatus"}"#)
        #expect(bare.interface == "")
        #expect(bare.member == "GetStatus")
        let ending = try LocationInterfaceTests.call(#"{"method":"a."}"#)
        #expect(ending.interface == "a")
        #expect(ending.member == "")
    }

    @Test(arguments: [
        ("", false, false), (#","more":true"#, true, false), (#","oneway":true"#, false, true),
        (#","more":false,"oneway":false"#, false, false), (#","more":null,"oneway":null"#, false, false),
        (#","more":true,"oneway":true"#, false, true), (#","upgrade":true"#, false, false),
    ])
    func flagsAreReadAndOnewayWinsOverMore(_ flags: String, more: Bool, oneway: Bool) throws {
        let call = try call(#"{"method":"a.b.C""# + flags + "}")
        #expect(call.more == more)
        #expect(call.oneway == oneway)
    }

    @Test(arguments: [
        #"{"method":"a.b.C"}"#, #"{"method":"a.b.C","parameters":null}"#, #"{"parameters":{},"method":"a.b.C"}"#,
    ])
    func missingParametersAreNone(_ json: String) throws {
        #expect(try call(json).parameters(as: Wanted.self) == Wanted())
        #expect(try call(json).parameters(as: NoParameters.self) == NoParameters())
    }

    @Test func parametersAreRead() throws {
        let place = #"{"latitude":-1.5e1,"tags":[{"name":"\u00e9\ud83d\ude00"}]}"#
        let read = try wanted(#"{"place":\#(place),"timeout":3,"count":7}"#)
        #expect(read == Wanted(place: Place(latitude: -15, tags: [Tag(name: "é😀")]), timeout: 3, count: 7))
    }

    @Test func unknownFieldsAreTolerated() throws {
        let call = try call(#"{"method":"a.b.C","novelty":[{}],"parameters":{"count":1,"novelty":{"deep":[null]}}}"#)
        #expect(try call.parameters(as: Wanted.self) == Wanted(count: 1))
    }

    @Test(arguments: [
        (#"{"timeout":"soon"}"#, "timeout"), (#"{"timeout":true}"#, "timeout"), (#"{"timeout":[]}"#, "timeout"),
        (#"{"count":1.5}"#, "count"), (#"{"count":99999999999999999999}"#, "count"), (#"{"count":1e400}"#, "count"),
        (#"{"timeout":1e999}"#, "timeout"), (#"{"place":{}}"#, "place.latitude"),
        (#"{"place":{"latitude":"north"}}"#, "place.latitude"), (#"{"place":{"latitude":null}}"#, "place.latitude"),
        (#"{"place":7}"#, "place"),
        (#"{"place":{"latitude":1,"tags":[{"name":"a"},{"name":2}]}}"#, "place.tags[1].name"),
        (#"{"a":1e999,"timeout":0.5,"count":2.5,"place":{"latitude":1.5}}"#, "count"),
    ])
    func wrongTypesNameTheField(_ parameters: String, field: String) {
        let error = #expect(throws: ErrorReply.self) { try wanted(parameters) }
        #expect(error?.name == "org.varlink.service.InvalidParameter")
        let wire = error?.wire ?? ""
        #expect(wire.contains(#""parameters":{"parameter":"\#(field)","reason":"#), "\(wire)")
    }

    @Test(arguments: ["7", #""text""#, "[1]", "true"])
    func parametersMustBeAnObjectEvenWhereNoneAreWanted(_ parameters: String) {
        let error = #expect(throws: ErrorReply.self) { try wanted(parameters) }
        #expect(error?.wire?.contains(#"\"parameters\" has the wrong type"#) == true)
    }

    @Test(arguments: [
        "", " ", "{", "}", "[]", "7", "null", #""text""#, "{}", #"{"method":7}"#, #"{"method":null}"#,
        #"{"method":"a.b.C""#, #"{"method":"a.b.C"} trailing"#, #"{"method":"a.b.C","more":1}"#,
        #"{"method":"a.b.C","oneway":"yes"}"#, #"{method:"a.b.C"}"#,
        #"{'method':'a.b.C'}"#, #"{"method":"\ud800"}"#, #"{"method":"\x"}"#, "NaN",
    ])
    func whatIsNoRequestIsRefused(_ json: String) {
        let error = #expect(throws: ErrorReply.self) { try call(json) }
        #expect(error?.name == "org.varlink.service.InvalidParameter")
        #expect(error?.wire?.contains(#""parameter":"request""#) == true)
    }

    @Test(
        arguments: [
            [0xFF], [0xC3, 0x28], [0xED, 0xA0, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xC0, 0x80],
        ] as [[UInt8]])
    func invalidUTF8IsRefused(_ bytes: [UInt8]) {
        #expect(throws: ErrorReply.self) {
            try Call(Array(#"{"method":""#.utf8) + bytes + Array(#""}"#.utf8))
        }
        #expect(throws: ErrorReply.self) { try Call(bytes) }
    }

    @Test(arguments: ["[", #"{"a":"#, #"{"method":"a.b.C","parameters":{"place":["#])
    func deepNestingDoesNotCrash(_ opening: String) {
        let text = String(repeating: opening, count: 100_000)
        #expect(throws: ErrorReply.self) { try call(text) }
        let inside = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        #expect(throws: ErrorReply.self) { try call(#"{"method":"a.b.C","x":"# + inside + "}") }
    }

    @Test func duplicateKeysAreOneOfThem() throws {
        let call = try call(#"{"method":"a.b.C","method":"d.e.F","parameters":{"count":1,"count":2}}"#)
        #expect(["a.b.C", "d.e.F"].contains(call.method))
        let count = try call.parameters(as: Wanted.self).count
        #expect(count == 1 || count == 2)
    }

    @Test func hugeNumbersThatNobodyReadsDoNotMatter() throws {
        let digits = String(repeating: "9", count: 10_000)
        let call = try call(#"{"method":"a.b.C","x":\#(digits),"parameters":{"y":-\#(digits)e\#(digits),"count":1}}"#)
        #expect(try call.parameters(as: Wanted.self) == Wanted(count: 1))
    }

    @Test func longRequestWithABadNumberIsAnsweredWithoutASearch() {
        let list = String(repeating: "0,", count: 4000)
        let error = #expect(throws: ErrorReply.self) { try wanted("{\"x\":[\(list)1],\"count\":2.5}") }
        #expect(error?.wire?.contains(#""parameter":"parameters","reason":"a number"#) == true)
    }

    @Test(arguments: [(15, "count"), (16, "parameters")])
    func manyParametersBesideABadNumberAreNoSearch(_ others: Int, named: String) {
        let fields = (0..<others).map { "\"x\($0)\":0" }.joined(separator: ",")
        let error = #expect(throws: ErrorReply.self) { try wanted("{\(fields),\"count\":2.5}") }
        #expect(error?.wire?.contains(#""parameter":"\#(named)","reason":"a number"#) == true)
    }

    @Test func errorsSayWhatIsWrongInWords() {
        let missing = #expect(throws: ErrorReply.self) { try call("{}") }
        #expect(missing?.wire?.contains(#"\"method\" is missing"#) == true)
        let wrong = #expect(throws: ErrorReply.self) { try wanted(#"{"timeout":"soon"}"#) }
        #expect(wrong?.wire?.contains(#"\"timeout\" has the wrong type"#) == true)
        let spoilt = #expect(throws: ErrorReply.self) { try call("{") }
        #expect(spoilt?.wire?.contains("not valid JSON") == true)
    }
}
