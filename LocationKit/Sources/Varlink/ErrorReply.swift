/// The answer to a call that cannot be served: a name with parameters.
public struct ErrorReply: Error, Sendable {
    /// The full name, such as `org.varlink.service.MethodNotFound`.
    public let name: String
    /// What the interface's description says that the error has.
    public let parameters: any Encodable & Sendable

    /// - Parameter name: the full name.
    public init(_ name: String, parameters: any Encodable & Sendable = NoParameters()) {
        self.name = name
        self.parameters = parameters
    }
}

/// The empty parameter list.
public struct NoParameters: Codable, Sendable, Hashable {
    /// No parameters.
    public init() {}
}

extension ErrorReply {
    private struct Interface: Encodable { let interface: String }
    private struct Method: Encodable { let method: String }
    private struct Parameter: Encodable {
        let parameter: String
        let reason: String
    }

    /// The service has no such interface.
    public static func interfaceNotFound(_ interface: some StringProtocol) -> Self {
        Self("org.varlink.service.InterfaceNotFound", parameters: Interface(interface: String(interface)))
    }

    /// The interface has no such method.
    public static func methodNotFound(_ method: String) -> Self {
        Self("org.varlink.service.MethodNotFound", parameters: Method(method: method))
    }

    /// The method is in the interface's description, and this service does not have it.
    public static func methodNotImplemented(_ method: String) -> Self {
        Self("org.varlink.service.MethodNotImplemented", parameters: Method(method: method))
    }

    /// The standard error, with the reason in words as an additional parameter.
    public static func invalidParameter(_ parameter: String, reason: String) -> Self {
        Self("org.varlink.service.InvalidParameter", parameters: Parameter(parameter: parameter, reason: reason))
    }

    /// An error for a violation of the protocol itself; the connection ends after it.
    public static func invalidRequest(_ reason: String) -> Self {
        .invalidParameter("request", reason: reason)
    }

    /// The caller may not call the method.
    public static var permissionDenied: Self { Self("org.varlink.service.PermissionDenied") }

    /// The method sends several replies and has to be called with `more`.
    public static var expectedMore: Self { Self("org.varlink.service.ExpectedMore") }
}
