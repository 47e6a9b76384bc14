/// A service's identity and interfaces: the answers of `org.varlink.service`.
package struct ServiceDescription: Sendable {
    package let vendor: String
    package let product: String
    package let version: String
    package let url: String
    package let interfaces: [InterfaceDescription]

    package init(vendor: String, product: String, version: String, url: String, interfaces: [InterfaceDescription]) {
        self.vendor = vendor
        self.product = product
        self.version = version
        self.url = url
        self.interfaces = [Self.serviceInterface] + interfaces
    }

    /// `org.varlink.service`, which every service implements.
    package static let serviceInterface = InterfaceDescription(
        name: "org.varlink.service",
        text: """
            # What every Varlink service tells about itself.
            interface org.varlink.service

            # Who the service is, and the interfaces it has.
            method GetInfo() -> (vendor: string, product: string, version: string, url: string, interfaces: []string)

            # The description of one of them.
            method GetInterfaceDescription(interface: string) -> (description: string)

            error InterfaceNotFound (interface: string)
            error MethodNotFound (method: string)
            error MethodNotImplemented (method: string)
            error InvalidParameter (parameter: string)
            error PermissionDenied ()
            error ExpectedMore ()

            """)

    package struct Info: Codable, Sendable, Hashable {
        package let vendor, product, version, url: String
        package let interfaces: [String]
    }

    package struct InterfaceName: Codable, Sendable {
        package let interface: String
        package init(interface: String) { self.interface = interface }
    }

    package struct Description: Codable, Sendable, Hashable {
        package let description: String
    }

    package func has(_ interface: some StringProtocol) -> Bool {
        interfaces.contains { $0.name == interface }
    }

    /// Answers a call of `org.varlink.service`.
    package func answer(_ call: Call) throws(ErrorReply) -> any Encodable & Sendable {
        switch call.member {
        case "GetInfo":
            return Info(
                vendor: vendor, product: product, version: version, url: url, interfaces: interfaces.map(\.name))
        case "GetInterfaceDescription":
            let wanted = try call.parameters(as: InterfaceName.self).interface
            guard let found = interfaces.first(where: { $0.name == wanted }) else { throw .interfaceNotFound(wanted) }
            return Description(description: found.text)
        default:
            throw .methodNotFound(call.method)
        }
    }
}
