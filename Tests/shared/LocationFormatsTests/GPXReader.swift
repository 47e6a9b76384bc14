import Foundation
import FoundationXML
import Testing

/// A GPX document as its elements, read by Foundation's parser, which also says whether it is well-formed.
final class GPXReader: NSObject, XMLParserDelegate {
    /// An element with what it holds; the name is with its namespace's name unless that is GPX's.
    final class Element {
        let name: String
        let attributes: [String: String]
        var children: [Element] = []
        var text = ""

        init(name: String, attributes: [String: String]) {
            self.name = name
            self.attributes = attributes
        }

        /// The elements found by going down so many names.
        subscript(path: String...) -> [Element] {
            path.reduce([self]) { found, name in found.flatMap { $0.children.filter { $0.name == name } } }
        }
    }

    private var open = [Element(name: "", attributes: [:])]

    /// - Returns: The document's root element.
    static func root(of text: String) throws -> Element {
        let reader = GPXReader()
        let parser = XMLParser(data: Data(text.utf8))
        parser.shouldProcessNamespaces = true
        parser.delegate = reader
        try #require(parser.parse(), "\(String(describing: parser.parserError))\n\(text)")
        return try #require(reader.open.first?.children.first)
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        let isOwn = namespaceURI == "http://www.topografix.com/GPX/1/1"
        let element = Element(name: isOwn ? name : "\(namespaceURI ?? "") \(name)", attributes: attributes)
        open.last?.children.append(element)
        open.append(element)
    }

    func parser(_ parser: XMLParser, didEndElement: String, namespaceURI: String?, qualifiedName: String?) {
        open.removeLast()
    }

    func parser(_ parser: XMLParser, foundCharacters characters: String) {
        open.last?.text += characters
    }
}
