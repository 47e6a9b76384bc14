/// The parameters by which a service calls an administrator's method on an administrator's behalf, beside those of the
/// method.
@_spi(Programs) public struct TokenParameters: Codable, Sendable {
    @_spi(Programs) public var onBehalfOf: ServedProgram?
    @_spi(Programs) public var token: String?

    @_spi(Programs) public init(onBehalfOf: ServedProgram?, token: String?) {
        self.onBehalfOf = onBehalfOf
        self.token = token
    }
}

@_spi(Programs) public struct CreateTokenParameters: Codable, Sendable, Hashable {
    /// Seconds; `nil` for the longest.
    @_spi(Programs) public var lifetime: Double?
    @_spi(Programs) public init(lifetime: Double? = nil) { self.lifetime = lifetime }
}

@_spi(Programs) public struct CreateTokenReply: Codable, Sendable, Hashable {
    @_spi(Programs) public var token: String
    /// Seconds.
    @_spi(Programs) public var lifetime: Double

    @_spi(Programs) public init(token: String, lifetime: Double) {
        self.token = token
        self.lifetime = lifetime
    }
}

@_spi(Programs) public struct RevokeTokenParameters: Codable, Sendable, Hashable {
    @_spi(Programs) public var token: String
    @_spi(Programs) public init(token: String) { self.token = token }
}
