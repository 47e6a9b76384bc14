import Authorization
import StrictTOML

extension Rule<String> {
    /// A service of the system, by its whole name.
    static let unit = text("the name of a service in quotes, such as \"navigator.service\"") { text throws(Refusal) in
        guard !text.contains("@.") else {
            throw Refusal(
                "\(text.quoted) is a template, which no program belongs to",
                remedy: "name one of its instances, such as \(text.replacing("@.", with: "@1.").quoted)")
        }
        guard !Subject.isUnit(text) else { return }
        let completed = text + ".service"
        let isWithoutSuffix = !text.contains(".") && Subject.isUnit(completed)
        throw Refusal(
            "\(text.quoted) is not the name of a service",
            remedy: isWithoutSuffix ? "write \(completed.quoted)" : nil)
    }
}

extension Rule<Bool> {
    /// A key that is left out where it is not meant.
    static let onlyTrue = Rule(accepts: "true") { node throws(Refusal) in
        guard try boolean.read(node) else { throw Refusal("is false", remedy: "say true or remove it") }
        return true
    } written: {
        "\($0)"
    }
}
