/// An interface's name and its description in Varlink's interface definition language.
package struct InterfaceDescription: Sendable {
    package let name: String
    package let text: String

    package init(name: String, text: String) {
        self.name = name
        self.text = text
    }
}
