/// A coding error in a few words, with the path to the value: `location.latitude is missing`.
func describe(_ error: any Error) -> String {
    func name(_ path: [any CodingKey]) -> String {
        path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }
    func sentence(_ context: DecodingError.Context) -> String {
        context.codingPath.isEmpty
            ? context.debugDescription : "\(name(context.codingPath)): \(context.debugDescription)"
    }
    return switch error {
    case DecodingError.keyNotFound(let key, let context): "\(name(context.codingPath + [key])) is missing"
    case DecodingError.typeMismatch(let type, let context): "\(name(context.codingPath)) is not of type \(type)"
    case DecodingError.valueNotFound(_, let context): "\(name(context.codingPath)) is null"
    case DecodingError.dataCorrupted(let context): sentence(context)
    case EncodingError.invalidValue(let value, let context): "\(name(context.codingPath)) is \(value)"
    default: "\(error)"
    }
}
