/// A message of the bus that concerns the compass.
enum CompassMessage: Equatable {
    /// The reply to the call with this cookie. `nil` properties if it has none.
    case reply(to: UInt64, sender: String?, CompassProperties?)
    case error(to: UInt64, name: String, message: String)
    case propertiesChanged(sender: String?, CompassProperties)
    /// The proxy's name has this owner now, or none.
    case ownerChanged(String?)
    /// Anything else.
    case other
}

/// The properties of the compass, as far as a message has them.
struct CompassProperties: Equatable {
    var hasCompass: Bool?
    /// Degrees clockwise from magnetic north; the proxy sends -1 while it knows none.
    var heading: Double?
    /// Whether a property had a wrong type, or the message another signature.
    var isMalformed = false
}

/// A call that the session makes.
enum CompassCall: Equatable {
    /// Asks the bus for the changes of the name's owner.
    case watchOwner
    /// Asks the bus for the changes of the compass' properties.
    case watchProperties
    case claim
    case release
    case getProperties
}
