package import LocationInterface

/// The parameters by which a service calls an administrator's method on an administrator's behalf, beside those of the method.
package struct TokenParameters: Codable, Sendable {
    package var onBehalfOf: ServedProgram?
    package var token: String?

    package init(onBehalfOf: ServedProgram?, token: String?) {
        self.onBehalfOf = onBehalfOf
        self.token = token
    }
}

package struct CreateTokenParameters: Codable, Sendable, Hashable {
    /// Seconds; `nil` for the longest.
    package var lifetime: Double?
    package init(lifetime: Double? = nil) { self.lifetime = lifetime }
}

package struct CreateTokenReply: Codable, Sendable, Hashable {
    package var token: String
    /// Seconds.
    package var lifetime: Double

    package init(token: String, lifetime: Double) {
        self.token = token
        self.lifetime = lifetime
    }
}

package struct RevokeTokenParameters: Codable, Sendable, Hashable {
    package var token: String
    package init(token: String) { self.token = token }
}
