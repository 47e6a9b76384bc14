@_spi(Programs) import LocationInterface
import ProgramTestSupport
import Testing

/// Calls that are answered with an error; the connection goes on.
@Suite(.timeLimit(.minutes(10)))
struct RefusedCallTests {
    struct Wrong: Sendable, CustomTestStringConvertible {
        let method: String
        let parameters: String
        /// The field that the error names.
        let field: String
        var testDescription: String { "\(method) \(parameters)" }

        init(_ method: String, _ parameters: String, _ field: String) {
            self.method = method
            self.parameters = parameters
            self.field = field
        }
    }

    @Test(arguments: [
        Wrong("GetLocation", #"{"maximumAge":"1"}"#, "maximumAge"),
        Wrong("GetLocation", #"{"maximumAge":-0.5}"#, "maximumAge"),
        Wrong("GetLocation", #"{"maximumAge":1e999}"#, "maximumAge"),
        Wrong("GetLocation", #"{"timeout":true}"#, "timeout"),
        Wrong("GetLocation", #"{"timeout":-1}"#, "timeout"),
        Wrong("GetLocation", #"{"timeout":86401}"#, "timeout"),
        Wrong("GetLocation", #"{"timeout":1e308}"#, "timeout"),
        Wrong("GetLocation", #"{"requiredAccuracy":[]}"#, "requiredAccuracy"),
        Wrong("GetLocation", #"{"requiredAccuracy":-1e-9}"#, "requiredAccuracy"),
        Wrong("GetLocation", #"{"passive":1}"#, "passive"),
        Wrong("Watch", #"{"distanceFilter":{}}"#, "distanceFilter"),
        Wrong("Watch", #"{"distanceFilter":-1}"#, "distanceFilter"),
        Wrong("Watch", #"{"minimumInterval":-1}"#, "minimumInterval"),
        Wrong("Watch", #"{"requiredAccuracy":-1}"#, "requiredAccuracy"),
        Wrong("Watch", #"{"maximumUpdates":0}"#, "maximumUpdates"),
        Wrong("Watch", #"{"interval":0}"#, "interval"),
        Wrong("Watch", #"{"interval":31536000.5}"#, "interval"),
        Wrong("Watch", #"{"interval":"1"}"#, "interval"),
        Wrong("Watch", #"{"interval":60,"passive":true}"#, "interval"),
        Wrong("Watch", #"{"interval":60,"satellites":true}"#, "interval"),
        Wrong("Watch", #"{"desiredAccuracy":0}"#, "desiredAccuracy"),
        Wrong("Watch", #"{"desiredAccuracy":-5}"#, "desiredAccuracy"),
        Wrong("Watch", #"{"desiredAccuracy":"5"}"#, "desiredAccuracy"),
        Wrong("Watch", #"{"desiredAccuracy":5,"passive":true}"#, "desiredAccuracy"),
        Wrong("Watch", #"{"desiredAccuracy":5,"location":false}"#, "desiredAccuracy"),
        Wrong("Watch", #"{"activityType":"sleeping"}"#, "activityType"),
        Wrong("Watch", #"{"activityType":1}"#, "activityType"),
        Wrong("Watch", #"{"pausesAutomatically":1}"#, "pausesAutomatically"),
        Wrong("Watch", #"{"reducedAccuracy":1}"#, "reducedAccuracy"),
        Wrong("Watch", #"{"pausesAutomatically":true,"passive":true}"#, "pausesAutomatically"),
        Wrong("Watch", #"{"pausesAutomatically":true,"heading":true}"#, "pausesAutomatically"),
        Wrong("Watch", #"{"pausesAutomatically":true,"location":false}"#, "pausesAutomatically"),
        Wrong("Watch", #"{"maximumDelay":0}"#, "maximumDelay"),
        Wrong("Watch", #"{"maximumDelay":3600.5}"#, "maximumDelay"),
        Wrong("Watch", #"{"maximumDelay":"60"}"#, "maximumDelay"),
        Wrong("Watch", #"{"maximumDelay":60,"heading":true}"#, "maximumDelay"),
        Wrong("Watch", #"{"maximumDelay":60,"satellites":true}"#, "maximumDelay"),
        Wrong("Watch", #"{"maximumDelay":60,"location":false}"#, "maximumDelay"),
        Wrong("Watch", #"{"duration":0}"#, "duration"),
        Wrong("Watch", #"{"duration":31536000.5}"#, "duration"),
        Wrong("Watch", #"{"duration":"1"}"#, "duration"),
        Wrong("Watch", #"{"maximumUpdates":-9223372036854775808}"#, "maximumUpdates"),
        Wrong("Watch", #"{"maximumUpdates":1.5}"#, "maximumUpdates"),
        Wrong("Watch", #"{"maximumUpdates":1e30}"#, "maximumUpdates"),
        Wrong("Watch", #"{"location":"yes"}"#, "location"),
        Wrong("Watch", #"{"heading":0}"#, "heading"),
        Wrong("Watch", #"{"headingFilter":"1"}"#, "headingFilter"),
        Wrong("Watch", #"{"headingFilter":5}"#, "headingFilter"),
        Wrong("Watch", #"{"heading":true,"headingFilter":-0.5}"#, "headingFilter"),
        Wrong("Watch", #"{"heading":true,"headingFilter":180.5}"#, "headingFilter"),
        Wrong("Watch", #"{"heading":true,"headingFilter":1e999}"#, "headingFilter"),
        Wrong("Watch", #"{"satellites":"no"}"#, "satellites"),
        Wrong("Watch", #"{"everySource":[true]}"#, "everySource"),
        Wrong("Watch", #"{"purpose":5}"#, "purpose"),
        Wrong("Watch", "{\"purpose\":\"\(String(repeating: "é", count: 129))\"}", "purpose"),
        Wrong("Watch", #"{"library":""}"#, "library"),
        Wrong("Watch", "{\"library\":\"\(String(repeating: "é", count: 33))\"}", "library"),
        Wrong("RequestAuthorization", "{}", "level"),
        Wrong("RequestAuthorization", #"{"level":"never"}"#, "level"),
        Wrong("RequestAuthorization", #"{"level":"always","fullAccuracy":"yes"}"#, "fullAccuracy"),
    ])
    func wrongParameterIsNamed(_ wrong: Wrong) async throws {
        try await TestServer.run { server in
            let client = try server.connect()
            try await client.send("\(LocationInterface.name).\(wrong.method)", wrong.parameters, flags: "\"more\":true")
            let message = try await client.message()
            #expect(message.error == "org.varlink.service.InvalidParameter")
            #expect(try message.explained.parameter == wrong.field)
            #expect(try message.explained.reason?.isEmpty == false)
            #expect(try await client.call(LocationInterface.Method.getStatus).error == nil)
        }
    }

    @Test(arguments: [
        #"{"maximumAge":1e308,"timeout":0,"passive":true,"somethingNew":[1,{"a":null}]}"#,
        #"{"maximumAge":null,"timeout":0,"requiredAccuracy":null,"passive":true}"#,
    ])
    func absentAndUnknownFieldsAreTolerated(_ parameters: String) async throws {
        try await TestServer.run { server in
            let message = try await server.connect().call(LocationInterface.Method.getLocation, parameters)
            #expect(message.error == LocationInterface.Failure.locationUnavailable)
            #expect(try message.explained.reason?.isEmpty == false)
        }
    }

    @Test(arguments: [
        ("org.locationd.location.Nothing", "org.varlink.service.MethodNotFound"),
        ("org.locationd.location.", "org.varlink.service.MethodNotFound"),
        ("org.varlink.service.Nothing", "org.varlink.service.MethodNotFound"),
        ("org.locationd.nothing.GetStatus", "org.varlink.service.InterfaceNotFound"),
        ("GetStatus", "org.varlink.service.InterfaceNotFound"),
        ("", "org.varlink.service.InterfaceNotFound"),
        ("...", "org.varlink.service.InterfaceNotFound"),
        (AdminInterface.Method.listClients, "org.varlink.service.InterfaceNotFound"),
        (AdminInterface.Method.stop, "org.varlink.service.InterfaceNotFound"),
    ])
    func whatDoesNotExistIsNamed(_ method: String, _ error: String) async throws {
        try await TestServer.run { server in
            let client = try server.connect()
            let message = try await client.call(method)
            #expect(message.error == error)
            let named = try message.explained
            let interface = method.split(separator: ".", omittingEmptySubsequences: false).dropLast().joined(
                separator: ".")
            #expect(error.hasSuffix("MethodNotFound") ? named.method == method : named.interface == interface)
        }
    }

    @Test func administrationIsNotDescribedOnThePublicSocket() async throws {
        try await TestServer.run { server in
            let client = try server.connect()
            let parameters = "{\"interface\":\"\(AdminInterface.name)\"}"
            let message = try await client.call("org.varlink.service.GetInterfaceDescription", parameters)
            #expect(message.error == "org.varlink.service.InterfaceNotFound")
            #expect(try await !client.call("org.varlink.service.GetInfo").text.contains(AdminInterface.name))
        }
    }

    @Test func purposeIsShownWithoutControlCharacters() async throws {
        try await TestServer.run { server in
            _ = try await server.watcher(#"{"purpose":"map\u001b[2J\n\u202e \u00fc «"}"#)
            let clients = try await server.connect(.control).call(AdminInterface.Method.listClients)
                .parameters(as: ClientList.self).clients
            #expect(clients.first?.purpose == #"map\u{1b}[2J\u{a}\u{202e} ü '"#)
        }
    }
}
