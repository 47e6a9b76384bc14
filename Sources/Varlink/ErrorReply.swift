/// The answer to a call that cannot be served: a name with parameters.
package struct ErrorReply: Error, Sendable {
    /// The full name, such as `org.varlink.service.MethodNotFound`.
    package let name: String
    package let parameters: any Encodable & Sendable

    package init(_ name: String, parameters: any Encodable & Sendable = NoParameters()) {
        self.name = name
        self.parameters = parameters
    }
}

/// The empty parameter list.
package struct NoParameters: Codable, Sendable, Hashable {
    package init() {}
}

extension ErrorReply {
    private struct Interface: Encodable { let interface: String }
    private struct Method: Encodable { let method: String }
    private struct Parameter: Encodable {
        let parameter: String
        let reason: String
    }

    package static func interfaceNotFound(_ interface: some StringProtocol) -> Self {
        Self("org.varlink.service.InterfaceNotFound", parameters: Interface(interface: String(interface)))
    }

    package static func methodNotFound(_ method: String) -> Self {
        Self("org.varlink.service.MethodNotFound", parameters: Method(method: method))
    }

    package static func methodNotImplemented(_ method: String) -> Self {
        Self("org.varlink.service.MethodNotImplemented", parameters: Method(method: method))
    }

    /// The standard error, with the reason in words as an additional parameter.
    package static func invalidParameter(_ parameter: String, reason: String) -> Self {
        Self("org.varlink.service.InvalidParameter", parameters: Parameter(parameter: parameter, reason: reason))
    }

    /// An error for a violation of the protocol itself; the connection ends after it.
    package static func invalidRequest(_ reason: String) -> Self {
        .invalidParameter("request", reason: reason)
    }

    package static var permissionDenied: Self { Self("org.varlink.service.PermissionDenied") }

    /// The method sends several replies and has to be called with `more`.
    package static var expectedMore: Self { Self("org.varlink.service.ExpectedMore") }
}
