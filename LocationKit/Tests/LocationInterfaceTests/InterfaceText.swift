/// What an interface says, read from its text: Varlink's definition language, as far as ours use it.
struct InterfaceText {
    indirect enum Kind: Hashable, CustomStringConvertible {
        case bool, int, float, string
        case enumeration([String])
        case list(Kind)
        case dictionary(Kind)
        case object([String: Member])
        case named(String)

        var description: String {
            switch self {
            case .bool: "bool"
            case .int: "int"
            case .float: "float"
            case .string: "string"
            case .enumeration(let names): "(\(names.joined(separator: ", ")))"
            case .list(let element): "[]\(element)"
            case .dictionary(let element): "[string]\(element)"
            case .object(let members): "(\(members.keys.sorted().joined(separator: ", ")))"
            case .named(let name): name
            }
        }
    }

    struct Member: Hashable {
        let kind: Kind
        let isOptional: Bool
    }

    struct Failure: Error {
        let reason: String
    }

    private(set) var types: [String: Kind] = [:]
    private(set) var methods: [String: (input: Kind, output: Kind)] = [:]
    private(set) var errors: [String: Kind] = [:]
    private var tokens: ArraySlice<Substring>

    init(_ text: String) throws(Failure) {
        let code = text.split(separator: "\n").map { $0.prefix { $0 != "#" } }.joined(separator: "\n")
        tokens = code.matches(of: #/[\w.]+|->|[\[\]():,?]/#).map(\.output)[...]
        try expect("interface")
        _ = try next()
        while let keyword = tokens.popFirst() {
            let name = String(try next())
            switch keyword {
            case "type": types[name] = try kind()
            case "error": errors[name] = try kind()
            case "method":
                let input = try kind()
                try expect("->")
                methods[name] = (input, try kind())
            default: throw Failure(reason: "\(keyword) begins nothing")
            }
        }
    }

    /// The members of an object, by its name or as it stands.
    func members(of kind: Kind) -> [String: Member]? {
        switch kind {
        case .object(let members): members
        case .named(let name): types[name].flatMap(members(of:))
        default: nil
        }
    }

    private mutating func next() throws(Failure) -> Substring {
        guard let token = tokens.popFirst() else { throw Failure(reason: "it ends too soon") }
        return token
    }

    private mutating func expect(_ token: Substring) throws(Failure) {
        let found = try next()
        guard found == token else { throw Failure(reason: "\(found) in place of \(token)") }
    }

    private mutating func skip(_ token: Substring) -> Bool {
        guard tokens.first == token else { return false }
        tokens.removeFirst()
        return true
    }

    private mutating func kind() throws(Failure) -> Kind {
        switch try next() {
        case "bool": return .bool
        case "int": return .int
        case "float": return .float
        case "string": return .string
        case "[":
            if skip("]") { return .list(try kind()) }
            try expect("string")
            try expect("]")
            return .dictionary(try kind())
        case "(": return try object()
        case let name: return .named(String(name))
        }
    }

    /// An object, or an enumeration: names without types.
    private mutating func object() throws(Failure) -> Kind {
        var (members, names): ([String: Member], [String]) = ([:], [])
        while !skip(")") {
            let name = String(try next())
            if skip(":") {
                let isOptional = skip("?")
                members[name] = Member(kind: try kind(), isOptional: isOptional)
            } else {
                names.append(name)
            }
            _ = skip(",")
        }
        return names.isEmpty ? .object(members) : .enumeration(names)
    }
}
