import Testing
import Varlink

@Suite struct ServiceDescriptionTests {
    private let service = ServiceDescription(
        vendor: "V", product: "P", version: "1.0", url: "https://example.org/",
        interfaces: [InterfaceDescription(name: "a.b", text: "interface a.b\nmethod C() -> ()\n")])

    private func answer(_ json: String) throws -> String? {
        let answer = try service.answer(call(json))
        return text(try MessageEncoder().reply(answer))
    }

    @Test func infoNamesEveryInterfaceItsOwnFirst() throws {
        #expect(
            try answer(#"{"method":"org.varlink.service.GetInfo"}"#)
                == #"{"parameters":{"interfaces":["org.varlink.service","a.b"],"product":"P","#
                + #""url":"https://example.org/","vendor":"V","version":"1.0"}}"#)
    }

    @Test func descriptionIsTheTextOfTheInterface() throws {
        let reply = try answer(
            #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":"a.b"}}"#)
        #expect(reply == #"{"parameters":{"description":"interface a.b\nmethod C() -> ()\n"}}"#)
    }

    @Test func ownInterfaceIsDescribed() throws {
        let reply = try answer(
            #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":"org.varlink.service"}}"#
        )
        for word in [
            "interface org.varlink.service", "method GetInfo()", "method GetInterfaceDescription(",
            "error InterfaceNotFound", "error MethodNotFound", "error MethodNotImplemented", "error InvalidParameter",
            "error PermissionDenied", "error ExpectedMore",
        ] {
            #expect(reply?.contains(word) == true, "\(word)")
        }
    }

    @Test(arguments: [
        (
            #"GetInterfaceDescription","parameters":{"interface":"x.y"}"#,
            #"InterfaceNotFound","parameters":{"interface":"x.y"}"#
        ),
        (#"GetNothing""#, #"MethodNotFound","parameters":{"method":"org.varlink.service.GetNothing"}"#),
        (
            #"GetInterfaceDescription""#,
            #"InvalidParameter","parameters":{"parameter":"interface","reason":"\"interface\" is missing"}"#
        ),
        (
            #"GetInterfaceDescription","parameters":{"interface":3}"#,
            #"InvalidParameter","parameters":{"parameter":"interface","reason":"\"interface\" has the wrong type"}"#
        ),
    ])
    func whatCannotBeAnsweredIsAStandardError(_ asked: String, answered: String) {
        let error = #expect(throws: ErrorReply.self) {
            try service.answer(call(#"{"method":"org.varlink.service."# + asked + "}"))
        }
        #expect(error?.wire == #"{"error":"org.varlink.service."# + answered + "}")
    }

    @Test func knowsItsInterfaces() {
        #expect(service.has("a.b"))
        #expect(service.has("org.varlink.service"))
        #expect(!service.has("a"))
        #expect(!service.has("A.B"))
    }
}
