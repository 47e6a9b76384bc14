/// An interface's name and its description in Varlink's interface definition language.
public struct InterfaceDescription: Sendable {
    /// Such as `org.varlink.service`.
    public let name: String
    /// In the definition language, as `GetInterfaceDescription` returns it.
    public let text: String

    /// - Parameter text: in the definition language.
    public init(name: String, text: String) {
        self.name = name
        self.text = text
    }
}
