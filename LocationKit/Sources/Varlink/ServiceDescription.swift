/// A service's identity and interfaces: the answers of `org.varlink.service`.
public struct ServiceDescription: Sendable {
    /// Who makes the service.
    public let vendor: String
    /// What the service is.
    public let product: String
    /// Its version.
    public let version: String
    /// Where more about it is to be read.
    public let url: String
    /// Its interfaces, `org.varlink.service` first.
    public let interfaces: [InterfaceDescription]

    /// Adds `org.varlink.service` to the interfaces.
    public init(vendor: String, product: String, version: String, url: String, interfaces: [InterfaceDescription]) {
        self.vendor = vendor
        self.product = product
        self.version = version
        self.url = url
        self.interfaces = [Self.serviceInterface] + interfaces
    }

    /// `org.varlink.service`, which every service implements.
    public static let serviceInterface = InterfaceDescription(
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

    /// The reply of `GetInfo`.
    public struct Info: Codable, Sendable, Hashable {
        /// As in ``ServiceDescription``.
        public let vendor, product, version, url: String
        /// The names of the interfaces.
        public let interfaces: [String]
    }

    /// The parameters of `GetInterfaceDescription`.
    public struct InterfaceName: Codable, Sendable {
        /// The name of an interface.
        public let interface: String
        /// - Parameter interface: the name of an interface.
        public init(interface: String) { self.interface = interface }
    }

    /// The reply of `GetInterfaceDescription`.
    public struct Description: Codable, Sendable, Hashable {
        /// The text of the interface.
        public let description: String
    }

    /// Whether the service has an interface.
    public func has(_ interface: some StringProtocol) -> Bool {
        interfaces.contains { $0.name == interface }
    }

    /// Answers a call of `org.varlink.service`.
    public func answer(_ call: Call) throws(ErrorReply) -> any Encodable & Sendable {
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
