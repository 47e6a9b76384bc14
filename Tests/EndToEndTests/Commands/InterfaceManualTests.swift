import AdministrationInterface
import HistoryInterface
import LocationInterface
import TestSupport
import Testing
import Varlink
import WebInterface

/// The manual pages tell every type, method, error and field of the interfaces, and nothing else.
@Suite struct InterfaceManualTests {
    private static let interfaces = [
        LocationInterface.description, AdminInterface.description, PlacesInterface.description,
        HistoryInterface.description, WebInterface.description,
    ]

    @Test(arguments: interfaces.indices) func pageIsTheDefinition(index: Int) throws {
        let (name, definition) = (Self.interfaces[index].name, Self.interfaces[index].text)
        let manual = try ManualPage("\(name).7")
        let described = Set(manual.headings.filter { $0.prefixMatch(of: /(?:type|method|error)\ /) != nil })
        let members = members(of: definition)
        #expect(described == Set(members.keys) && members.count > 2)
        for (heading, fields) in members {
            let items = manual.items(under: heading)
            #expect(
                items.compactMap { $0.words(after: "Va")?.joined(separator: " ") } == fields.map(\.head), "\(heading)")
            for (field, item) in zip(fields, items) {
                #expect(words(in: item) == field.words, "\(heading) \(field.head)")
            }
        }
    }

    private struct Field {
        /// As the page writes it: name and type, in which an enumeration is called so.
        let head: String
        /// The words of an enumeration.
        let words: [String]
    }

    /// Every member of a definition by what the page calls it, with its fields, a method's parameters first.
    private func members(of definition: String) -> [String: [Field]] {
        let code = definition.split(separator: "\n").filter { !$0.hasPrefix("#") }.joined(separator: " ")
        let members = code.split(separator: /(?=\b(?:type|method|error) )/).dropFirst()
        return Dictionary(
            uniqueKeysWithValues: members.map { member in
                let parts = member.split(separator: "(", maxSplits: 1)
                return (parts[0].split(separator: " ").joined(separator: " "), fields(in: parts[1]))
            })
    }

    private func fields(in text: Substring) -> [Field] {
        text.matches(of: /(\w+): (\?)?(?:\(([^)]*)\)|([^,() ]+))/).map { match in
            let (_, name, mark, enumeration, type) = match.output
            return Field(
                head: "\(name) : Vt \(mark ?? "")\(type ?? "enum")",
                words: enumeration?.split(separator: ", ").map(String.init) ?? [])
        }
    }

    /// What the text below an item names as words of an enumeration.
    private func words(in item: ManualPage.Item) -> [String] {
        item.text.filter { $0.hasPrefix(".Cm ") }.flatMap { $0.dropFirst(4).split(separator: " ").map(String.init) }
            .filter { $0 != "," && $0 != "." }
    }
}
