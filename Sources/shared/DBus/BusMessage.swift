/// A message that was received.
package struct BusMessage {
    package enum Content {
        /// A call of a method; `handle` is for its reply.
        case call(path: String, interface: String?, member: String, handle: CallHandle)
        case signal(path: String, interface: String, member: String)
        /// The reply to the call with this cookie.
        case reply(to: UInt64)
        case error(to: UInt64, name: String, message: String)
    }

    package let content: Content
    /// The unique name of the program that sent it, as the bus reports it.
    package let sender: String?
    package let signature: String
    /// Its arguments; empty if its signature is not one of those that the connection reads.
    package let arguments: [BusValue]
}
